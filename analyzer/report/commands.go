package report

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// The files that proposed commands write.
const (
	patchFile = "repairs.patch"
	pageFile  = "review.md"
)

const commandIndent = "      "

// A command is what a shell is to run: its words, each quoted for it.
type command []string

// newCommand quotes the words of a command.
func newCommand(words ...string) command {
	var out command
	for _, w := range words {
		out = append(out, shellWord(w))
	}
	return out
}

// shellWord quotes a word so that a POSIX shell takes it as it is.
func shellWord(w string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+%@"
	if w != "" && strings.Trim(w, plain) == "" && !strings.HasPrefix(w, "=") {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// lines writes a command in lines of so many columns that a shell takes as one.
// It is not ok where a word is wider than a line, or holds what a terminal or a
// shell would not take as it is.
func (c command) lines(width int) (out []string, ok bool) {
	const more, next = ` \`, "  "
	line := ""
	for i, w := range c {
		if clean(w) != w {
			return nil, false
		}
		room := width
		if i < len(c)-1 {
			room -= len(more)
		}
		switch {
		case line == "":
			line = w
		case columns.StringWidth(line)+1+columns.StringWidth(w) <= room:
			line += " " + w
		default:
			out = append(out, line+more)
			line = next + w
		}
		if columns.StringWidth(line) > room {
			return nil, false
		}
	}
	return append(out, line), true
}

// program begins the commands that make a comparison again.
func (a *Again) program(args ...string) command {
	return newCommand(append([]string{a.Program}, args...)...)
}

// again returns the command that makes the comparison with some more words.
func (a *Again) again(subcommand []string, more ...string) command {
	return a.program(slices.Concat(subcommand, a.Args, more)...)
}

// explained returns the commands that explain a rule.
func explained(r *analyzer.Report, rule *rules.Rule, a *Again) ([]command, bool) {
	if a == nil || rule == nil {
		return nil, false
	}
	name, ok := callName(r, rule)
	if !ok {
		return nil, false
	}
	return []command{a.again([]string{"explain", name})}, true
}

// callName returns a name that means this rule and no other on a command line:
// its own, else with its group, else its place.
func callName(r *analyzer.Report, rule *rules.Rule) (string, bool) {
	candidates := []string{rule.Name}
	if rule.Group != "" {
		candidates = append(candidates, rule.Group+"/"+rule.Name)
	}
	for _, name := range candidates {
		if name == "" || strings.HasPrefix(name, "-") || clean(name) != name || rules.IsPattern(name) {
			continue
		}
		if only(r, rule, func(o *rules.Rule) bool { return o.Name == name || o.Group+"/"+o.Name == name }) {
			return name, true
		}
	}
	place := rule.Pos.File + ":" + strconv.Itoa(rule.Pos.Line)
	if rule.Pos.Line == 0 || strings.HasPrefix(place, "-") || clean(place) != place {
		return "", false
	}
	same := func(o *rules.Rule) bool {
		return path.Clean(o.Pos.File) == path.Clean(rule.Pos.File) && o.Pos.Line == rule.Pos.Line
	}
	return place, only(r, rule, same)
}

// only reports whether a rule is the only one of a report of which f is true.
func only(r *analyzer.Report, rule *rules.Rule, f func(*rules.Rule) bool) bool {
	for i := range r.Results {
		if o := r.Results[i].Rule; f(o) && o.Pos != rule.Pos {
			return false
		}
	}
	return true
}

// applied returns the commands that write the patch of all repairs and apply
// it; none where there is no patch.
func applied(r *analyzer.Report, a *Again) []command {
	if a == nil || r.Patch == "" {
		return nil
	}
	apply := newCommand("git", "apply", patchFile)
	if r.PatchFromRoot {
		apply = append(newCommand("patch", "-p1", "-d", "/"), "<", patchFile)
	}
	return []command{a.again([]string{"compare"}, "--write-repairs", patchFile), apply}
}

// written returns the command that writes a page.
func written(a *Again) []command {
	if a == nil {
		return nil
	}
	return []command{a.again([]string{"compare"}, "-o", pageFile)}
}
