package profile

import (
	"strings"
	"testing"
)

const faultyMilestones = `name: p
correlation:
  entities: [{name: task, kind: q.example/Task}]
milestones:
  work: {entity: tsk, units: [{progress: {}, probe: {ok: true}}]}
  failure: [{cluster: '[', action: {action: cut}}]
  list:
    - {name: a, shared: true, by: [{probe: {ok: true}}]}
    - {name: a, as: usefull, by: [{condition: {kind: q.example/Task}}]}
    - {name: total, after: [z], by: [{log: {query: ''}}]}
    - {as: running}
    - {name: c, as: running, by: [{metric: {name: m}}, {probe: {ok: true}}, {event: {message: '('}, confirm: {kind: Pod}}]}
  deadlines: [{milestone: aa}]
  suspects: [{log: {query: x}, work: all, stages: [b]}, {title: t}]
`

func TestParse_MilestoneFaults(t *testing.T) {
	_, err := Parse("p.yaml", []byte(faultyMilestones))
	want := []string{
		`p.yaml:5:18: there is no entity "tsk"; did you mean task?`,
		`p.yaml:5:31: evidence is of one kind`,
		`p.yaml:6:13: "[" is no glob`,
		`p.yaml:5:3: nothing says from when recovery is measured`,
		`p.yaml:9:7: the milestone "a" is declared twice`,
		`p.yaml:9:21: there is no part "usefull"; did you mean useful?`,
		`p.yaml:9:35: a condition has no kind or no type`,
		`p.yaml:10:7: total names the whole way, no milestone`,
		`p.yaml:10:29: no earlier milestone is called "z"`,
		`p.yaml:10:38: nothing chooses the lines`,
		`p.yaml:11:7: a milestone has no name`,
		`p.yaml:12:21: two milestones are "running"`,
		`p.yaml:12:35: nothing says which value the metric must pass`,
		`p.yaml:12:56: a probe names no work`,
		`p.yaml:12:77: "(" is no regular expression`,
		`p.yaml:12:77: what must confirm it has no kind or no path`,
		`p.yaml:8:5: no milestone says when work is recovered`,
		`p.yaml:13:27: there is no milestone "aa"`,
		`p.yaml:13:15: a deadline has no time`,
		`p.yaml:14:14: a suspect has no title`,
		`p.yaml:14:52: there is no milestone "b"`,
		`p.yaml:14:57: nothing chooses the lines of "t"`,
	}
	got := Problems(err)
	for i, p := range got {
		if i >= len(want) || !strings.HasPrefix(p.Error(), want[i]) {
			t.Errorf("problem %d: %q", i, p.Error())
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d problems, want %d", len(got), len(want))
	}
}

func TestMilestones_Defaults(t *testing.T) {
	p, err := Parse("p.yaml", []byte(`name: p
correlation:
  entities: [{name: task, kind: q.example/Task}]
  chain: [task]
milestones:
  restored: [{probe: {ok: true}}]
  list:
    - {name: first-thing, by: [{progress: {event: began}}]}
    - {name: b, as: useful, by: [{progress: {event: step}}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	m := p.Milestones
	if m.Work.Entity != "task" || m.List[0].Title != "first thing" || m.List[0].After != nil ||
		len(m.List[1].After) != 1 || m.List[1].After[0] != "first-thing" || !m.Affected.Submitted || !m.Affected.Unfinished {
		t.Errorf("got %+v", m)
	}
}
