package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
)

// TestMarkdown_Hostile: outside code blocks no tag, link, mention or table
// cell of the input survives.
func TestMarkdown_Hostile(t *testing.T) {
	out := string(render(t, "markdown", analyzer.Compare(hostile()), Options{}))
	fence := regexp.MustCompile("(?ms)^(`{3,})[a-z]+\n.*?\n`{3,}$")
	outside := fence.ReplaceAllStringFunc(out, func(block string) string {
		open, body, _ := strings.Cut(block, "\n")
		ticks := strings.TrimRight(open, "abcdefghijklmnopqrstuvwxyz")
		if body = strings.TrimSuffix(body, "\n"+ticks); strings.Contains(body, ticks) {
			t.Errorf("a code block of %d backticks holds as many", len(ticks))
		}
		return ""
	})
	own := regexp.MustCompile(`</?(code|details|summary)>|<!-- -->`)
	rest := own.ReplaceAllString(outside, "")
	for _, bad := range []string{"<", "http://", "www.", "\x1b", "\u202e", "\x00"} {
		if strings.Contains(rest, bad) {
			t.Errorf("%q survives outside code:\n%s", bad, rest)
		}
	}
	if regexp.MustCompile(`[^\\]\]\(`).MatchString(rest) {
		t.Errorf("a link survives:\n%s", rest)
	}
	if regexp.MustCompile(`@[a-z]|[^&]#[0-9]`).MatchString(outside) {
		t.Errorf("a mention or reference survives:\n%s", outside)
	}
	columns := 0
	cell := regexp.MustCompile(`(?:^|[^\\])\|`)
	for line := range strings.SplitSeq(outside, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := len(cell.FindAllString(line, -1))
		if columns != 0 && n != columns {
			t.Errorf("table row of %d bars among rows of %d: %s", n, columns, line)
		}
		columns = n
	}
}
