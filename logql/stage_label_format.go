package logql

import "github.com/stillfires/stillfires/logql/syntax"

// labelFormatStage implements "| label_format dst=src, dst="template"": src
// is renamed to dst, or dst gets what the template gives. Templates see the
// labels as they were before the stage; renames see those before them in the
// list. Where a template fails its label stays.
type labelFormatStage struct{ items []labelFormatItem }

type labelFormatItem struct {
	dst      nameRef
	src      nameRef       // to be renamed, when template is nil
	template *lineTemplate // otherwise
}

func (s *labelFormatStage) process(e *entry) bool {
	values := e.stageValues(len(s.items)) // nil: the template failed
	for i, item := range s.items {
		if item.template == nil {
			continue
		}
		v, err := e.execute(item.template)
		if err != nil {
			e.fail(errTemplate, err)
			continue
		}
		values[i] = v
	}
	for i, item := range s.items {
		if item.template != nil {
			if values[i] != nil {
				e.set(item.dst, values[i])
			}
		} else if v, ok := e.lookup(item.src); ok {
			e.set(item.dst, v)
			e.remove(item.src)
		}
	}
	return true
}

func (c *compiler) compileLabelFormat(s *syntax.LabelFormat) (stage, error) {
	f := new(labelFormatStage)
	seen := make(map[string]bool)
	for _, item := range s.Items {
		if item.Dst == errorLabel {
			return nil, c.errorf(item.Span(), "label_format cannot set %s", errorLabel)
		}
		if seen[item.Dst] {
			return nil, c.errorf(item.Span(), "label_format sets %q twice", item.Dst)
		}
		seen[item.Dst] = true
		out := labelFormatItem{dst: newNameRef(item.Dst)}
		if item.Rename {
			out.src = newNameRef(item.Src)
		} else {
			t, err := compileTemplate(item.Src)
			if err != nil {
				return nil, c.errorf(item.SrcPos, "template: %v", err)
			}
			out.template = t
		}
		f.items = append(f.items, out)
	}
	return f, nil
}
