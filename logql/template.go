package logql

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"text/template"
	"text/template/parse"
	"time"
)

// Limits that a template runs under. They are far beyond what a log line
// needs and keep a hostile template from filling memory or running for ever.
const (
	maxTemplateOutput = 4 << 20 // bytes, of the result and of every string in between
	maxTemplateSteps  = 100_000 // loop passes and calls of templates, fewer on long text
)

var (
	errTemplateOutput = fmt.Errorf("template result exceeds %d bytes", maxTemplateOutput)
	errTemplateSteps  = errors.New("template takes too many loop passes")
)

// A lineTemplate is the template of line_format or label_format. It is never
// changed after it was compiled, and may be executed by many goroutines.
type lineTemplate struct {
	// fields are the labels that the template looks at, sorted. With
	// allFields set it may look at others too.
	fields    []string
	allFields bool

	parts []templatePart // of a plain template, else nil
	plain bool

	source *template.Template // functions not bound
	mu     sync.Mutex
	free   []*templateRun // of earlier executions, guarded by mu
}

// A templatePart is a piece of a template that needs no text/template: text,
// the value of a field, or the line.
type templatePart struct {
	text  []byte
	field string // when text is nil; empty: the line
}

// A templateEnv is what a template sees of an entry.
type templateEnv struct {
	line []byte
	ts   int64 // of the entry, in nanoseconds; also what now gives
	get  func(name string) (string, bool)
	// labels returns all labels. It is called only for templates with
	// allFields set; when nil, such a template sees only its fields.
	labels func() map[string]string
}

// A templateRun is a copy of a template whose functions are bound to the
// entry in env.
type templateRun struct {
	tmpl    *template.Template
	env     *templateEnv
	steps   int
	longest int // text met so far
	out     bytes.Buffer
	data    map[string]string
}

// compileTemplate reads a Go text/template with the functions of LogQL.
func compileTemplate(src string) (*lineTemplate, error) {
	run := new(templateRun)
	source, err := template.New("").Option("missingkey=zero").Funcs(run.funcs()).Parse(src)
	if err != nil {
		return nil, trimTemplateError(err)
	}
	t := &lineTemplate{source: source}
	if source.Tree != nil {
		t.parts, t.plain = plainParts(source.Root)
	}
	var w templateWalk
	for _, tree := range source.Templates() {
		if tree.Tree != nil {
			w.walk(tree.Root, true)
		}
	}
	slices.Sort(w.fields)
	t.fields = slices.Compact(w.fields)
	t.allFields = w.all
	if t.plain {
		return t, nil
	}
	// Only now, as it is no function that a user may call.
	step, err := template.New("").Funcs(template.FuncMap{stepFunc: run.step}).Parse("{{" + stepFunc + "}}")
	if err != nil {
		return nil, err
	}
	for _, tree := range source.Templates() {
		if tree.Tree != nil {
			countSteps(tree.Root, step.Root.Nodes[0], true)
		}
	}
	return t, nil
}

// trimTemplateError takes the words off err that only text/template needs.
func trimTemplateError(err error) error {
	return errors.New(string(bytes.TrimPrefix([]byte(err.Error()), []byte("template: :"))))
}

// plainParts returns the parts of a template that consists of text, fields and
// the line.
func plainParts(root *parse.ListNode) (parts []templatePart, plain bool) {
	for _, n := range root.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			parts = append(parts, templatePart{text: n.Text})
		case *parse.CommentNode:
		case *parse.ActionNode:
			if len(n.Pipe.Decl) > 0 || len(n.Pipe.Cmds) != 1 || len(n.Pipe.Cmds[0].Args) != 1 {
				return nil, false
			}
			switch arg := n.Pipe.Cmds[0].Args[0].(type) {
			case *parse.FieldNode:
				if len(arg.Ident) != 1 {
					return nil, false
				}
				parts = append(parts, templatePart{field: arg.Ident[0]})
			case *parse.IdentifierNode:
				if arg.Ident != lineFunc {
					return nil, false
				}
				parts = append(parts, templatePart{})
			default:
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return parts, true
}

// execute appends the result to dst. Labels that are missing are empty. On an
// error dst is returned as it was.
func (t *lineTemplate) execute(dst []byte, env *templateEnv) ([]byte, error) {
	if t.plain {
		return t.executePlain(dst, env)
	}
	run := t.take()
	defer t.give(run)
	run.env, run.steps, run.longest = env, 0, len(env.line)
	run.out.Reset()
	if err := run.tmpl.Execute(run, run.labels(t)); err != nil {
		return dst, trimTemplateError(err)
	}
	return append(dst, run.out.Bytes()...), nil
}

func (t *lineTemplate) executePlain(dst []byte, env *templateEnv) ([]byte, error) {
	from := len(dst)
	for _, p := range t.parts {
		switch {
		case p.text != nil:
			dst = append(dst, p.text...)
		case p.field != "":
			v, _ := env.get(p.field)
			dst = append(dst, v...)
		default:
			dst = append(dst, env.line...)
		}
		if len(dst)-from > maxTemplateOutput {
			return dst[:from], errTemplateOutput
		}
	}
	return dst, nil
}

// take returns a run that no other goroutine uses.
func (t *lineTemplate) take() *templateRun {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.free); n > 0 {
		run := t.free[n-1]
		t.free = t.free[:n-1]
		return run
	}
	run := &templateRun{data: make(map[string]string)}
	run.tmpl = template.Must(t.source.Clone()).Funcs(run.funcs()).Funcs(template.FuncMap{stepFunc: run.step})
	return run
}

func (t *lineTemplate) give(run *templateRun) {
	run.env = nil
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, run)
}

// labels returns what the dot of the template is.
func (r *templateRun) labels(t *lineTemplate) map[string]string {
	if t.allFields && r.env.labels != nil {
		return r.env.labels()
	}
	clear(r.data)
	for _, name := range t.fields {
		if v, ok := r.env.get(name); ok {
			r.data[name] = v
			r.longest = max(r.longest, len(v))
		}
	}
	return r.data
}

// Write takes what the template prints.
func (r *templateRun) Write(p []byte) (int, error) {
	if r.out.Len()+len(p) > maxTemplateOutput {
		return 0, errTemplateOutput
	}
	return r.out.Write(p)
}

// The names of the functions that are bound to an entry.
const (
	lineFunc = "__line__"
	timeFunc = "__timestamp__"
	nowFunc  = "now"
	stepFunc = "__step__"
)

// funcs returns the functions of LogQL, bound to r.
func (r *templateRun) funcs() template.FuncMap {
	now := func() time.Time { return time.Unix(0, r.env.ts).UTC() }
	m := template.FuncMap{
		lineFunc: func() string { return string(r.env.line) },
		timeFunc: now,
		// A replay gives the same answer each time, so now is the time of
		// the entry, not of the clock.
		nowFunc: now,
		"date":  func(layout string, t any) (string, error) { return r.sized(formatDate(layout, t, now()), nil) },
	}
	r.addStringFuncs(m)
	r.addRegexpFuncs(m)
	addNumberFuncs(m)
	addTimeFuncs(m)
	return m
}

// step counts a loop pass or a call of a template. One that may work on long
// text counts more.
func (r *templateRun) step() (string, error) {
	if r.steps += 1 + r.longest/4096; r.steps > maxTemplateSteps {
		return "", errTemplateSteps
	}
	return "", nil
}

// countSteps puts step at the beginning of every loop body, and of list itself
// when it is the body of a template.
func countSteps(list *parse.ListNode, step parse.Node, body bool) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.RangeNode:
			countSteps(n.List, step, true)
			countSteps(n.ElseList, step, false)
		case *parse.IfNode:
			countSteps(n.List, step, false)
			countSteps(n.ElseList, step, false)
		case *parse.WithNode:
			countSteps(n.List, step, false)
			countSteps(n.ElseList, step, false)
		}
	}
	if body {
		list.Nodes = slices.Insert(list.Nodes, 0, step)
	}
}

// A templateWalk gathers the fields that a template looks at.
type templateWalk struct {
	fields []string
	all    bool
}

// walk visits n. With root set, the dot is the set of labels.
func (w *templateWalk) walk(n parse.Node, root bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, c := range n.Nodes {
			w.walk(c, root)
		}
	case *parse.ActionNode:
		w.walk(n.Pipe, root)
	case *parse.PipeNode:
		if n == nil {
			return
		}
		for _, c := range n.Cmds {
			w.walk(c, root)
		}
	case *parse.CommandNode:
		for _, c := range n.Args {
			w.walk(c, root)
		}
	case *parse.IfNode:
		w.branch(&n.BranchNode, root, root)
	case *parse.WithNode:
		w.branch(&n.BranchNode, root, false)
	case *parse.RangeNode:
		w.branch(&n.BranchNode, root, false)
	case *parse.TemplateNode:
		w.walk(n.Pipe, root)
	case *parse.ChainNode:
		w.walk(n.Node, root)
	case *parse.DotNode:
		w.all = w.all || root
	case *parse.FieldNode:
		w.fields = append(w.fields, n.Ident[0])
	case *parse.VariableNode:
		if n.Ident[0] == "$" {
			if len(n.Ident) == 1 {
				w.all = true
			} else {
				w.fields = append(w.fields, n.Ident[1])
			}
		}
	}
}

func (w *templateWalk) branch(n *parse.BranchNode, root, inside bool) {
	w.walk(n.Pipe, root)
	w.walk(n.List, inside)
	w.walk(n.ElseList, root)
}
