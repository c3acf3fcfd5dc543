package corpus

import (
	"encoding/json"
	"hash/maphash"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
)

// lastApplied is the annotation in which kubectl keeps the whole object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// A snapshot is where an object was found.
type snapshot struct {
	moment, cluster string
	time            int64
	events          bool // the file holds events, whatever their kind says
}

func snapshotOf(f *File, moments []Moment) snapshot {
	at := snapshot{moment: f.MomentName(), cluster: f.Cluster}
	for i := range moments {
		if moments[i].Name == at.moment && moments[i].Time != nil {
			at.time = moments[i].Time.UnixNano()
		}
	}
	return at
}

// objectAgain takes an object that has the same text as one before it, as most
// have from moment to moment. It shares that one's memory.
func (l *factLoader) objectAgain(text []byte, at snapshot) bool {
	i, ok := l.objects[maphash.Bytes(l.seed, text)]
	if !ok || l.facts.Objects[i].Raw != string(text) || l.count >= maxFacts {
		return false
	}
	o := l.facts.Objects[i]
	o.Moment, o.Cluster, o.Time = at.moment, at.cluster, at.time
	l.keep(0)
	l.facts.Objects = append(l.facts.Objects, o)
	return true
}

// object takes one Kubernetes object. An Event among the objects is taken as
// one.
func (l *factLoader) object(text string, at snapshot) {
	root := gjson.Parse(text)
	if !root.IsObject() {
		l.note("values that are no objects")
		return
	}
	o := facts.Object{Moment: at.moment, Cluster: at.cluster, Time: at.time, Raw: text}
	var metadata gjson.Result
	secret := false
	root.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "apiVersion":
			o.APIVersion = v.Str
		case "kind":
			o.Kind = v.Str
			secret = secret || strings.EqualFold(v.Str, "Secret")
		case "metadata":
			metadata = v
		}
		return true
	})
	if at.events || o.Kind == "Event" {
		l.event(root, at)
		return
	}
	if secret {
		var ok bool
		if o.Raw, ok = withoutSecrets(text); !ok {
			l.note("secrets that could not be stripped of their data")
			return
		}
		metadata = gjson.Get(o.Raw, "metadata")
	}
	metadata.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "namespace":
			o.Namespace = v.Str
		case "name":
			o.Name = v.Str
		case "uid":
			o.UID = v.Str
		case "creationTimestamp":
			o.Created = timeIn(v)
		case "labels":
			o.Labels = texts(v)
		case "annotations":
			o.Annotations = texts(v)
		case "ownerReferences":
			o.Owners = owners(v)
		}
		return true
	})
	// The configuration of a process is an object without metadata.
	if o.Kind == "" || o.Name == "" && (o.APIVersion == "" || metadata.Exists()) {
		l.note("objects without a kind or a name")
		return
	}
	l.keep(len(o.Raw))
	l.objects[maphash.String(l.seed, text)] = len(l.facts.Objects)
	l.facts.Objects = append(l.facts.Objects, o)
}

// texts returns an object of texts; nil for an empty one.
func texts(v gjson.Result) map[string]string {
	var out map[string]string
	if !v.IsObject() {
		return nil
	}
	v.ForEach(func(key, v gjson.Result) bool {
		if out == nil {
			out = map[string]string{}
		}
		out[key.Str] = v.String()
		return true
	})
	return out
}

func owners(v gjson.Result) []facts.Owner {
	if !v.IsArray() {
		return nil
	}
	var out []facts.Owner
	v.ForEach(func(_, v gjson.Result) bool {
		ref := objectRef(v)
		out = append(out, facts.Owner{APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name, UID: ref.UID})
		return true
	})
	return out
}

// objectRef reads a reference to an object.
func objectRef(v gjson.Result) facts.Ref {
	var r facts.Ref
	if !v.IsObject() {
		return r
	}
	v.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "apiVersion":
			r.APIVersion = v.Str
		case "kind":
			r.Kind = v.Str
		case "namespace":
			r.Namespace = v.Str
		case "name":
			r.Name = v.Str
		case "uid":
			r.UID = v.Str
		}
		return true
	})
	return r
}

// withoutSecrets returns a Secret without what it keeps, also where kubectl
// wrote that down again.
func withoutSecrets(text string) (string, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) != nil {
		return "", false
	}
	delete(object, "data")
	delete(object, "stringData")
	if raw, ok := object["metadata"]; ok {
		var metadata map[string]json.RawMessage
		if json.Unmarshal(raw, &metadata) != nil {
			return "", false
		}
		var annotations map[string]json.RawMessage
		if raw, ok := metadata["annotations"]; ok {
			if json.Unmarshal(raw, &annotations) != nil {
				return "", false
			}
			delete(annotations, lastApplied)
			metadata["annotations"], _ = json.Marshal(annotations) // was JSON
		}
		delete(metadata, "managedFields")
		object["metadata"], _ = json.Marshal(metadata) // was JSON
	}
	out, err := json.Marshal(object)
	return string(out), err == nil
}
