package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
)

// PictureNames names a file for the picture of each of r.Timelines. The names
// differ, also for file systems that do not tell case apart, and hold nothing
// of a scenario's name that means something to one.
func PictureNames(r *analyzer.Report) []string {
	taken := map[string]bool{}
	out := make([]string, len(r.Timelines))
	for i := range out {
		name := "recovery-" + slug(r.Timelines[i].Scenario)
		out[i] = name
		for n := 2; taken[strings.ToLower(out[i])]; n++ {
			out[i] = fmt.Sprintf("%s-%d", name, n)
		}
		taken[strings.ToLower(out[i])] = true
		out[i] += ".svg"
	}
	return out
}

// slug keeps letters, digits, dots and dashes of a name.
func slug(s string) string {
	const most = 80
	var b strings.Builder
	for _, r := range clean(s) {
		switch {
		case b.Len() >= most:
			return b.String()
		case r < 0x80 && isLetter(byte(r)), strings.ContainsRune(".-_", r):
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return b.String()
}
