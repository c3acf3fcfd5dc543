package confound

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

func itoa(n int) string { return strconv.Itoa(n) }

// passing are kinds that controllers make as they go, or that hold what is
// made anew in every cluster.
var passing = strings.Fields(`Pod Job Node Event Secret Lease Endpoints EndpointSlice ReplicaSet ControllerRevision
	CustomResourceDefinition ValidatingWebhookConfiguration MutatingWebhookConfiguration APIService ServiceAccount
	Role RoleBinding ClusterRole ClusterRoleBinding CertificateSigningRequest PersistentVolume CSINode Namespace`)

// objects adds what the objects tell: of each cluster those of the first moment
// at which any were recorded, before the drill did anything.
func (d *describer) objects() {
	f := d.run.Facts
	if f == nil {
		return
	}
	work := d.workNames()
	begun := map[[2]string]string{} // cluster, and whether they are nodes, to moment
	group := func(o *facts.Object) [2]string {
		switch {
		case profile.KindOf(o) == "/Node":
			return [2]string{o.Cluster, "nodes"}
		case o.Name == "":
			return [2]string{o.Cluster, "configuration"}
		}
		return [2]string{o.Cluster, ""}
	}
	rank := map[string]int{}
	for i, m := range f.Moments {
		rank[m] = i
	}
	for i := range f.Objects {
		o := &f.Objects[i]
		key := group(o)
		if m, ok := begun[key]; !ok || rank[o.Moment] < rank[m] {
			begun[key] = o.Moment
		}
	}
	nodes := map[string][]*facts.Object{}
	for i := range f.Objects {
		o := &f.Objects[i]
		switch {
		case o.Kind == "Job":
			d.template(o, "spec.template.spec", "jobs")
		case begun[group(o)] != o.Moment:
		case profile.KindOf(o) == "/Node":
			nodes[o.Cluster] = append(nodes[o.Cluster], o)
		case slices.Contains(passing, o.Kind), len(o.Owners) > 0, o.Name != "" && work[[3]string{o.Cluster, o.Namespace, o.Name}], o.Name == "kube-root-ca.crt":
		case profile.KindOf(o) == "/ConfigMap":
			d.config(o)
		case o.Name == "":
			d.settings(o)
		default:
			d.wanted(o)
		}
	}
	for _, cluster := range names(nodes) {
		d.nodes(cluster, nodes[cluster])
	}
}

func (d *describer) workNames() map[[3]string]bool {
	out := map[[3]string]bool{}
	if d.line == nil {
		return out
	}
	for i := range d.line.Workloads {
		for _, n := range d.line.Workloads[i].Names {
			out[[3]string{n.Cluster, n.Namespace, n.Name}] = true
		}
	}
	return out
}

// title names an object for people.
func title(o *facts.Object) string {
	name := o.Kind + " " + strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
	if o.Cluster != "" {
		name += " of " + o.Cluster
	}
	return name
}

// template adds the images of the pods that an object makes, and what they
// ask for.
func (d *describer) template(o *facts.Object, path, family string) {
	gjson.Get(o.Raw, path+".containers").ForEach(func(_, c gjson.Result) bool {
		subject := "container " + c.Get("name").String() + " of " + title(o)
		if image := c.Get("image").String(); image != "" && !d.built(image) {
			d.add(facet{kind: Image, subject: subject, family: "images of " + family, value: image, timing: true})
		}
		if family == "jobs" {
			return true
		}
		if args := slices.Concat(texts(c.Get("command")), texts(c.Get("args"))); args != nil {
			for name, value := range flags(args) {
				d.add(facet{kind: Flag, subject: name + " of " + subject, family: "flags of " + subject, strict: true, value: value, timing: true})
			}
		}
		return true
	})
}

// built reports whether an image is that of a build of the run: its version is
// no difference beside the build.
func (d *describer) built(image string) bool {
	_, tag := reference(image)
	for i := range d.run.Builds {
		b := &d.run.Builds[i]
		switch {
		case image == b.Image, b.Digest != "" && strings.HasSuffix(image, b.Digest), b.Version != "" && tag == b.Version:
			return true
		}
	}
	return false
}

// reference splits the name of an image from its tag.
func reference(image string) (name, tag string) {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndexByte(image, ':'); i > strings.LastIndexByte(image, '/') {
		return image[:i], image[i+1:]
	}
	return image, ""
}

func texts(list gjson.Result) []string {
	var out []string
	for _, v := range list.Array() {
		out = append(out, v.String())
	}
	return out
}

// config adds what a ConfigMap holds; YAML and JSON in it by its paths.
func (d *describer) config(o *facts.Object) {
	family := "ConfigMaps of namespace " + o.Namespace + in(o.Cluster)
	gjson.Get(o.Raw, "data").ForEach(func(key, value gjson.Result) bool {
		subject := title(o) + ", " + key.String()
		var doc any
		if err := yaml.Unmarshal([]byte(value.String()), &doc); err != nil || !nested(doc) {
			d.add(facet{kind: Configuration, subject: subject, family: family, value: value.String(), timing: true})
			return true
		}
		walk(doc, "", 0, func(path, value string) {
			d.add(facet{kind: Configuration, subject: subject + ", " + path, family: family, strict: true, value: value, timing: true})
		})
		return true
	})
}

// settings adds what the configuration of a process says, which is an object
// without a name.
func (d *describer) settings(o *facts.Object) {
	name, family := o.Kind+in(o.Cluster), "configurations"+in(o.Cluster)
	walk(gjson.Parse(o.Raw).Value(), "", 0, func(path, value string) {
		if path != "kind" && path != "apiVersion" && !strings.HasPrefix(path, "metadata.") {
			d.add(facet{kind: Configuration, subject: name + ", " + path, family: family, strict: true, value: value, timing: true})
		}
	})
}

func in(cluster string) string {
	if cluster == "" {
		return ""
	}
	return " in " + cluster
}

func nested(doc any) bool {
	switch doc.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// wanted adds what is wanted of an object: its replicas, the images and flags
// of its pods, and every other field of its spec. An object of another version
// of its API may say the same in other words.
func (d *describer) wanted(o *facts.Object) {
	spec := gjson.Get(o.Raw, "spec")
	family := o.Kind + " objects" + in(o.Cluster)
	name := title(o)
	d.add(facet{kind: Manifest, subject: name, family: family, strict: true, value: o.APIVersion})
	if n := spec.Get("replicas"); n.Exists() {
		d.add(facet{kind: Replicas, subject: name, family: family, value: n.Raw, timing: true})
	}
	d.template(o, "spec.template.spec", family)
	walk(spec.Value(), "spec", 0, func(path, value string) {
		switch {
		case path == "spec.replicas", strings.Contains(path, ".template.metadata."), passingField(path),
			strings.HasPrefix(path, "spec.template.spec.containers.") && (strings.HasSuffix(path, ".image") || strings.Contains(path, ".args.") || strings.Contains(path, ".command.")):
			return
		}
		d.add(facet{kind: Manifest, subject: name + ", " + path, family: family + " of " + o.APIVersion, value: value, timing: true})
	})
}

// passingField reports whether a cluster makes up the value of a field.
func passingField(path string) bool {
	last := path[strings.LastIndexByte(path, '.')+1:]
	return slices.Contains([]string{"clusterIP", "nodePort", "caBundle", "uid", "providerID", "resourceVersion", "healthCheckNodePort", "nodeName", "volumeName"}, last) ||
		strings.Contains(path, ".clusterIPs.")
}

const (
	maxDepth  = 20
	maxLeaves = 2000
)

// walk calls f for each leaf of a document, in the order of the paths.
func walk(doc any, path string, depth int, f func(path, value string)) {
	left := maxLeaves
	walkInto(doc, path, depth, &left, f)
}

func walkInto(doc any, path string, depth int, left *int, f func(path, value string)) {
	at := func(key string) string {
		if path == "" {
			return key
		}
		return path + "." + key
	}
	switch x := doc.(type) {
	case map[string]any:
		for _, k := range names(x) {
			if depth < maxDepth {
				walkInto(x[k], at(k), depth+1, left, f)
			}
		}
	case []any:
		for i, v := range x {
			if depth < maxDepth {
				walkInto(v, at(listKey(i, v)), depth+1, left, f)
			}
		}
	default:
		if *left--; *left >= 0 {
			f(path, scalar(x))
		}
	}
}

// listKey names an item of a list: by its name where it has one, so that an
// item more does not move the others.
func listKey(i int, v any) string {
	if m, ok := v.(map[string]any); ok {
		if name, ok := m["name"].(string); ok {
			return name
		}
	}
	return itoa(i)
}

func scalar(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		return plain(x)
	case bool:
		return strconv.FormatBool(x)
	case int:
		return itoa(x)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return "…"
}

// secret reports whether a name speaks of something that must not be shown.
func secret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"password", "passwd", "token", "secret", "credential", "apikey", "api-key", "api_key", "privatekey", "private-key", "authorization"}, func(s string) bool {
		return strings.Contains(name, s)
	})
}
