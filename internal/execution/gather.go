package execution

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/prose"
	"github.com/stillfires/stillfires/internal/timeline"
)

// maxPieces bounds the pieces of work of a run.
const maxPieces = 100_000

// A gathering is all that was recorded of the pods of work.
type gathering struct {
	pieces map[string]*piece
	byUID  map[[2]string]string // cluster and UID of an object to its work
	byName map[[3]string]string // cluster, namespace and name likewise
	jobs   map[[3]string]*facts.Object
	ids    map[string]bool       // of the work of the timeline
	anew   map[string]int        // how often work was handed in anew after its end
	copies map[string]bool       // namespace/name of Jobs that are copies of each other
	lives  map[[2]string][]*Life // namespace and name
	notes  []string
	cut    int
	// from and to are the span of the run and a day more on each side; what is
	// dated otherwise has a wrong date. 0: not known.
	from, to int64
}

const farOff = 24 * time.Hour

func gather(f *facts.Facts, line *timeline.Run) *gathering {
	g := &gathering{pieces: map[string]*piece{}, byUID: map[[2]string]string{}, byName: map[[3]string]string{}, jobs: map[[3]string]*facts.Object{}, ids: map[string]bool{}, anew: map[string]int{}, copies: map[string]bool{}, lives: map[[2]string][]*Life{}}
	g.join(f, line)
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Kind == "Job" {
			g.jobs[[3]string{o.Cluster, o.Namespace, o.Name}] = o
		}
		if o.Labels[originLabel] != "" {
			g.copies[o.Namespace+"/"+o.Name] = true
		}
	}
	// What reports its progress is the work of the drill: in two clusters it is
	// one.
	from := map[string]string{}
	for i := range f.Progress {
		x := &f.Progress[i]
		id := x.Namespace + "/" + x.Job
		if have, ok := from[id]; ok && have != x.Cluster && x.Job != "" {
			g.copies[id] = true
		}
		from[id] = x.Cluster
	}
	lives := Lives(f)
	for i := range lives {
		l := &lives[i]
		if g.to != 0 && l.Start > g.to {
			continue
		}
		g.life(l)
		key := [2]string{l.Namespace, l.Name}
		g.lives[key] = append(g.lives[key], l)
	}
	g.progress(f)
	g.activeJobs(f)
	g.demands(f)
	if g.cut > 0 {
		g.notes = append(g.notes, fmt.Sprintf("%d records of more than %d pieces of work were left out", g.cut, maxPieces))
	}
	return g
}

// originLabel marks what a manager of several clusters made elsewhere.
const originLabel = "kueue.x-k8s.io/multikueue-origin"

// join notes which objects a timeline joins to pieces of work. Where the work
// itself is a pod, pods that are other things to it run none of it.
func (g *gathering) join(f *facts.Facts, line *timeline.Run) {
	if line == nil {
		return
	}
	if line.Start != 0 && line.End != 0 {
		g.from, g.to = line.Start-int64(farOff), line.End+int64(farOff)
	}
	isPod := map[[3]string]bool{}
	for i := range f.Objects {
		if o := &f.Objects[i]; o.Kind == "Pod" {
			isPod[[3]string{o.Cluster, o.Namespace, o.Name}] = true
		}
	}
	for i := range line.Workloads {
		w := &line.Workloads[i]
		g.ids[w.ID], g.anew[w.ID] = true, w.Lives
		key := func(n timeline.Name) [3]string { return [3]string{n.Cluster, n.Namespace, n.Name} }
		itself := slices.IndexFunc(w.Names, func(n timeline.Name) bool {
			return strings.TrimPrefix(n.Namespace+"/"+n.Name, "/") == w.ID && isPod[key(n)]
		})
		for _, n := range w.Names {
			if itself >= 0 && isPod[key(n)] && n.Entity != "" && n.Entity != w.Names[itself].Entity {
				continue
			}
			if n.UID != "" {
				g.byUID[[2]string{n.Cluster, n.UID}] = w.ID
			}
			g.byName[key(n)] = w.ID
		}
	}
}

// work names the piece of work of a pod; empty: it is of none.
func (g *gathering) work(l *Life) string {
	if id, ok := g.byUID[[2]string{l.Cluster, l.UID}]; ok && l.UID != "" {
		return id
	}
	if id, ok := g.byUID[[2]string{l.Cluster, l.Owner.UID}]; ok && l.Owner.UID != "" {
		return id
	}
	switch l.Owner.Kind {
	case "Job":
		return g.job(l.Cluster, l.Namespace, l.Owner.Name)
	case "":
		// What restarts for ever is a service: every cluster has its own.
		if p := gjson.Get(l.Last.Raw, "spec.restartPolicy").String(); p == "Never" || p == "OnFailure" {
			return g.named(l.Cluster, l.Namespace, l.Name)
		}
	}
	return ""
}

// job names the piece of work that a Job belongs to.
func (g *gathering) job(cluster, namespace, name string) string {
	if j := g.jobs[[3]string{cluster, namespace, name}]; j != nil {
		for _, o := range j.Owners {
			if o.Kind == "CronJob" { // every cluster has its own
				return own(cluster, namespace, name)
			}
		}
	}
	return g.named(cluster, namespace, name)
}

func (g *gathering) named(cluster, namespace, name string) string {
	if id, ok := g.byName[[3]string{cluster, namespace, name}]; ok {
		return id
	}
	if id := namespace + "/" + name; g.ids[id] || g.copies[id] {
		return id
	}
	return own(cluster, namespace, name)
}

// own names work that every cluster has for itself: that two clusters have a
// Job of one name makes it no copy.
func own(cluster, namespace, name string) string {
	return strings.TrimPrefix(cluster+"/", "/") + namespace + "/" + name
}

func (g *gathering) runner(work, cluster, name, id string) *runner {
	p := g.pieces[work]
	if p == nil {
		if len(g.pieces) >= maxPieces {
			g.cut++
			return nil
		}
		p = &piece{id: work, runners: map[string]*runner{}}
		g.pieces[work] = p
	}
	key := cluster + "\x00" + cmp.Or(id, name)
	r := p.runners[key]
	if r == nil {
		r = &runner{cluster: cluster, name: name, id: id}
		p.runners[key] = r
	}
	return r
}

func (one *runner) at(t int64) {
	if one.start == 0 || t < one.start {
		one.start = t
	}
	one.end = max(one.end, t)
}

func (g *gathering) life(l *Life) {
	work := g.work(l)
	if work == "" {
		return
	}
	if r := g.runner(work, l.Cluster, l.Name, l.UID); r != nil {
		r.at(l.Start)
		if l.Until() != 0 {
			r.at(l.Until())
		}
		r.index, r.podDone = l.Index, l.Done
	}
}

// progress adds what work reported of itself. A record that was written twice,
// word for word, is one.
func (g *gathering) progress(f *facts.Facts) {
	type word struct {
		at  int64
		raw string
	}
	seen := map[word]bool{}
	again, wrong := 0, 0
	for i := range f.Progress {
		x := &f.Progress[i]
		if g.to != 0 && (x.Time < g.from || x.Time > g.to) {
			wrong++
			continue
		}
		if x.Raw != "" && seen[word{x.Time, x.Raw}] {
			again++
			continue
		}
		seen[word{x.Time, x.Raw}] = true
		work, cluster, id := g.reported(x), x.Cluster, x.PodUID
		if l := g.podOf(x); l != nil {
			work, cluster, id = cmp.Or(g.work(l), work), l.Cluster, l.UID
		}
		if work == "" || x.Pod == "" && x.PodUID == "" {
			continue
		}
		// Containers of a pod report for themselves.
		name := x.Pod
		if c := gjson.Get(x.Raw, "container").String(); c != "" {
			id, name = cmp.Or(id, name)+"/"+c, cmp.Or(name, id)+"/"+c
		}
		r := g.runner(work, cluster, cmp.Or(name, id), id)
		if r == nil {
			continue
		}
		r.at(x.Time)
		switch event := strings.ToLower(x.Event); {
		case began(event):
			g.again(r)
		case ended(event):
			if succeeded(x.Raw) {
				r.done = append(r.done, x.Time)
			}
		case x.Step > 0:
			r.steps = append(r.steps, report{x.Step, x.Time})
		}
	}
	if wrong > 0 {
		g.notes = append(g.notes, fmt.Sprintf("%d progress records are dated more than a day from the run and were left out", wrong))
	}
	if again > 0 {
		g.notes = append(g.notes, fmt.Sprintf("%d progress records stand there twice, word for word: each counts once", again))
	}
}

// podOf finds the pod of a record: by its UID, or, of several with its name,
// the last that had started; nil: none was recorded.
func (g *gathering) podOf(x *facts.Progress) *Life {
	var found *Life
	for _, l := range g.lives[[2]string{x.Namespace, x.Pod}] { // by start
		switch {
		case x.PodUID != "":
			if l.UID == x.PodUID {
				return l
			}
		case (x.Cluster == "" || l.Cluster == x.Cluster) && (found == nil || l.Start-x.Time <= tolerance):
			found = l
		}
	}
	return found
}

// activeJobs adds Jobs that were active in a cluster where no pod of theirs was
// recorded. What another controller manages only shows what is elsewhere.
func (g *gathering) activeJobs(f *facts.Facts) {
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Kind != "Job" || o.Time == 0 || gjson.Get(o.Raw, "status.active").Int() == 0 || gjson.Get(o.Raw, "spec.suspend").Bool() {
			continue
		}
		if by := gjson.Get(o.Raw, "spec.managedBy").String(); by != "" && by != "kubernetes.io/job-controller" {
			continue
		}
		id, ok := g.byUID[[2]string{o.Cluster, o.UID}]
		if !ok || o.UID == "" {
			id = g.job(o.Cluster, o.Namespace, o.Name)
		}
		if g.shown(id, o.Cluster) {
			continue
		}
		if r := g.runner(id, o.Cluster, o.Name, o.UID); r != nil {
			r.job = true
			r.at(o.Time)
			if at := instant(gjson.Get(o.Raw, "status.startTime").String()); at != 0 {
				r.at(at)
			}
		}
	}
}

// shown reports whether pods or progress of a piece are known in a cluster.
func (g *gathering) shown(id, cluster string) bool {
	p := g.pieces[id]
	if p == nil {
		return false
	}
	for _, r := range p.runners {
		if r.cluster == cluster && !r.job {
			return true
		}
	}
	return false
}

// again begins the life of a pod anew: its container was restarted. What it
// had done stands for itself.
func (g *gathering) again(r *runner) {
	if len(r.steps) > 0 {
		r.earlier = append(r.earlier, r.steps)
	}
	r.steps, r.done = nil, nil
}

func began(event string) bool {
	switch event {
	case "start", "started", "begin", "began", "restart", "restarted", "resumed", "init":
		return true
	}
	return false
}

func ended(event string) bool {
	switch event {
	case "exit", "exited", "complete", "completed", "done", "end", "ended", "finish", "finished", "succeeded", "success":
		return true
	}
	return false
}

// succeeded reports whether a record of an end is one of success.
func succeeded(raw string) bool {
	for _, key := range []string{"code", "exitCode", "exit_code"} {
		if v := gjson.Get(raw, key); v.Exists() && v.String() != "0" {
			return false
		}
	}
	return true
}

// reported names the piece of work of a progress record.
func (g *gathering) reported(x *facts.Progress) string {
	if id, ok := g.byUID[[2]string{x.Cluster, x.PodUID}]; ok && x.PodUID != "" {
		return id
	}
	switch {
	case x.Job != "":
		return g.job(x.Cluster, x.Namespace, x.Job)
	case x.Workload != "":
		return g.named(x.Cluster, x.Namespace, x.Workload)
	case x.Pod != "":
		return g.named(x.Cluster, x.Namespace, x.Pod)
	}
	return ""
}

// demands notes how many pods the work asks for. Objects of one cluster are
// parts of it, those of several are copies.
func (g *gathering) demands(f *facts.Facts) {
	type ask struct{ parallel, completions int64 }
	asked := map[[2]string]map[string]ask{} // work and cluster to object
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Kind != "Job" {
			continue
		}
		id, ok := g.byUID[[2]string{o.Cluster, o.UID}]
		if !ok || o.UID == "" {
			id = g.job(o.Cluster, o.Namespace, o.Name)
		}
		a := ask{parallel: 1}
		if v := gjson.Get(o.Raw, "spec.parallelism"); v.Type == gjson.Number {
			a.parallel = max(v.Int(), 0)
		}
		a.completions = max(gjson.Get(o.Raw, "spec.completions").Int(), 0)
		if a.completions == 0 {
			a.completions = max(a.parallel, 1)
		}
		key := [2]string{id, o.Cluster}
		if asked[key] == nil {
			asked[key] = map[string]ask{}
		}
		have := asked[key][o.UID+"/"+o.Name]
		asked[key][o.UID+"/"+o.Name] = ask{max(a.parallel, have.parallel), max(a.completions, have.completions)}
	}
	for key, parts := range asked {
		p := g.pieces[key[0]]
		if p == nil {
			continue
		}
		var sum ask
		most := int64(0)
		for _, a := range parts {
			sum.parallel, sum.completions = sum.parallel+a.parallel, sum.completions+a.completions
			most = max(most, a.completions)
		}
		// A name that is used again asks for as much each time, be it recorded or
		// not.
		sum.completions = max(sum.completions, most*int64(g.anew[key[0]]))
		p.parallel, p.completions = max(p.parallel, sum.parallel, 1), max(p.completions, sum.completions)
	}
	for id, p := range g.pieces {
		if n := int64(g.anew[id]); p.completions == 0 && p.parallel <= 1 && n > 1 {
			p.completions = n
		}
		if p.parallel == 0 && len(p.runners) == 1 {
			p.parallel = 1
		}
	}
}

func short(s string) string { return prose.Line(s, 200) }
