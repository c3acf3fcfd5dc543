package mutate

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An operator makes one change of a run.
type operator func(tree) tree

// edit replaces each line of files, named with blanks between, by those that f
// returns.
func edit(files string, f func(line string) []string) operator {
	return func(tr tree) tree {
		out := maps.Clone(tr)
		for file := range strings.FieldsSeq(files) {
			var b strings.Builder
			for line := range strings.Lines(tr[file]) {
				for _, l := range f(strings.TrimSuffix(line, "\n")) {
					b.WriteString(l + "\n")
				}
			}
			out[file] = b.String()
		}
		return out
	}
}

// of edits only the lines that hold a text.
func of(file, holds string, f func(line string) []string) operator {
	return edit(file, func(line string) []string {
		if !strings.Contains(line, holds) {
			return []string{line}
		}
		return f(line)
	})
}

// sub replaces one text by another in lines that hold a text.
func sub(file, holds, from, to string) operator {
	return of(file, holds, func(l string) []string { return []string{strings.ReplaceAll(l, from, to)} })
}

// resub replaces what a regular expression matches.
func resub(file, holds, from, to string) operator {
	re := regexp.MustCompile(from)
	return of(file, holds, func(l string) []string { return []string{re.ReplaceAllString(l, to)} })
}

// drop leaves lines out.
func drop(file, holds string) operator {
	return of(file, holds, func(string) []string { return nil })
}

// thin keeps one line of n.
func thin(file, holds string, n int) operator {
	return func(tr tree) tree {
		i := 0
		return of(file, holds, func(l string) []string {
			i++
			if i%n != 1 {
				return nil
			}
			return []string{l}
		})(tr)
	}
}

// leaveOutOne leaves out one line of n.
func leaveOutOne(file, holds string, n int) operator {
	return func(tr tree) tree {
		i := 0
		return of(file, holds, func(l string) []string {
			i++
			if i%n == 0 {
				return nil
			}
			return []string{l}
		})(tr)
	}
}

// repeat writes each line n times, a microsecond apart.
func repeat(file, holds string, n int) operator {
	return of(file, holds, func(l string) []string {
		lines := []string{l}
		for i := 1; i < n; i++ {
			lines = append(lines, later(l, time.Duration(i)*time.Microsecond))
		}
		return lines
	})
}

// twice writes each line of the file twice, the same in every byte.
func twice(file string) operator {
	return edit(file, func(l string) []string { return []string{l, l} })
}

// later moves the time of a record.
func later(line string, by time.Duration) string {
	at := stampOf(line)
	when, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return line
	}
	digits := 9
	if _, fraction, _ := strings.Cut(strings.TrimSuffix(at, "Z"), "."); by%time.Millisecond == 0 {
		digits = len(fraction) // as the program writes it
	}
	layout := "2006-01-02T15:04:05"
	if digits > 0 {
		layout += "." + strings.Repeat("0", digits)
	}
	return strings.Replace(line, at, when.Add(by).Format(layout)+"Z", 1)
}

// delay moves the times of lines and puts them where they now belong.
func delay(files, holds string, by time.Duration) operator {
	return func(tr tree) tree {
		out := of(files, holds, func(l string) []string { return []string{later(l, by)} })(tr)
		for file := range strings.FieldsSeq(files) {
			lines := strings.Split(strings.TrimSuffix(out[file], "\n"), "\n")
			slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(padded(a), padded(b)) })
			out[file] = strings.Join(lines, "\n") + "\n"
		}
		return out
	}
}

// padded returns the time of a record as a text that sorts by time.
func padded(line string) string {
	at := strings.TrimSuffix(stampOf(line), "Z")
	if !strings.Contains(at, ".") {
		at += "."
	}
	return at + strings.Repeat("0", max(0, 30-len(at)))
}

// after puts lines behind each line that holds a text, at most n times. In them
// TS stands for the time of that line and a bit.
func after(file, holds string, n int, lines ...string) operator {
	return func(tr tree) tree {
		done := 0
		return of(file, holds, func(l string) []string {
			if done == n {
				return []string{l}
			}
			done++
			out := []string{l}
			for i, add := range lines {
				moved := stampOf(later(l, time.Duration(i+1)*time.Microsecond))
				out = append(out, strings.NewReplacer("TS", moved, "NUMBER", fmt.Sprint(done)).Replace(add))
			}
			return out
		})(tr)
	}
}

// both makes two changes that are one to a person, such as a message that
// leaves the log and an event that takes its place.
func both(ops ...operator) operator {
	return func(tr tree) tree {
		for _, op := range ops {
			tr = op(tr)
		}
		return tr
	}
}

// inFiles changes every file whose name has an ending.
func inFiles(ending string, f func(text string) string) operator {
	return func(tr tree) tree {
		out := tree{}
		for name, text := range tr {
			if strings.HasSuffix(name, ending) {
				text = f(text)
			}
			out[name] = text
		}
		return out
	}
}

func replacing(from, to string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, from, to) }
}

// asConsole writes JSON records as zap's console encoder does.
func asConsole(line string) []string {
	keys, values := fields(line)
	if keys == nil {
		return []string{line}
	}
	var head, rest []string
	value := map[string]string{}
	for i, k := range keys {
		switch k {
		case "level", "ts", "time", "logger", "caller", "msg":
			var s string
			if json.Unmarshal([]byte(values[i]), &s) == nil {
				value[k] = s
				continue
			}
		}
		rest = append(rest, fmt.Sprintf("%q: %s", k, values[i]))
	}
	level := strings.ToUpper(value["level"])
	for _, s := range []string{value["ts"] + value["time"], strings.Replace(level, "LEVEL(", "Level(", 1), value["logger"], value["caller"], value["msg"]} {
		if s != "" {
			head = append(head, s)
		}
	}
	if len(rest) > 0 {
		head = append(head, "{"+strings.Join(rest, ", ")+"}")
	}
	return []string{strings.Join(head, "\t")}
}

// fields returns the keys of a JSON object and their values, in order; nil: it
// is none.
func fields(line string) (keys, values []string) {
	d := json.NewDecoder(strings.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil
	}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, nil
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, nil
		}
		keys, values = append(keys, k.(string)), append(values, string(v))
	}
	return keys, values
}

// turned writes the fields of JSON records in the other order.
func turned(line string) []string {
	keys, values := fields(line)
	if keys == nil {
		return []string{line}
	}
	var parts []string
	for i, k := range slices.Backward(keys) {
		parts = append(parts, fmt.Sprintf("%q:%s", k, values[i]))
	}
	return []string{"{" + strings.Join(parts, ",") + "}"}
}

// cutEnd cuts bytes off the end of a file.
func cutEnd(file string, n int) operator {
	return func(tr tree) tree {
		out := maps.Clone(tr)
		out[file] = tr[file][:len(tr[file])-n]
		return out
	}
}

// garbled breaks one JSON line of n, by a cut in the middle.
func garbled(file string, n int) operator {
	return func(tr tree) tree {
		i := 0
		return edit(file, func(l string) []string {
			i++
			if i%n != 0 {
				return []string{l}
			}
			return []string{l[:len(l)-len(l)/3]}
		})(tr)
	}
}

// epochTime writes the time of a record as seconds since 1970.
func epochTime(line string) string {
	at := stampOf(line)
	when, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return line
	}
	return strings.Replace(line, `"`+at+`"`, fmt.Sprintf("%d.%09d", when.Unix(), when.Nanosecond()), 1)
}

// asEvents adds an event with a text for every object that has one, to each
// snapshot.
func asEvents(text string) operator {
	return inFiles("events.json", func(list string) string {
		var all struct {
			Kind       string           `json:"kind"`
			APIVersion string           `json:"apiVersion"`
			Items      []map[string]any `json:"items"`
		}
		if json.Unmarshal([]byte(list), &all) != nil {
			return list
		}
		seen := map[string]bool{}
		for _, item := range slices.Clone(all.Items) {
			object, ok := item["involvedObject"].(map[string]any)
			name := fmt.Sprint(object["name"])
			if !ok || seen[name] {
				continue
			}
			seen[name] = true
			added := maps.Clone(item)
			added["message"] = text
			added["metadata"] = map[string]any{
				"name": name + ".moved", "namespace": object["namespace"], "uid": fmt.Sprintf("moved-%s", name),
			}
			all.Items = append(all.Items, added)
		}
		out, err := json.Marshal(all)
		if err != nil {
			return list
		}
		return string(out)
	})
}
