package rules

import (
	"path/filepath"
	"strings"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

// loadLogQL loads a file that holds one LogQL query.
func loadLogQL(p *part) found { return loadText(p, LogQL) }

// loadPromQL loads a file that holds one PromQL query.
func loadPromQL(p *part) found { return loadText(p, PromQL) }

// loadText loads a file that holds one query. It is named for the file.
// Comments before the query are not part of it.
func loadText(p *part, language Language) found {
	var f found
	text := string(p.file.Text)
	start := skipRemarks(text)
	base := filepath.Base(p.name)
	d := &draft{rule: Rule{Kind: Query, Name: strings.TrimSuffix(base, filepath.Ext(base)), Expr: strings.TrimRight(text[start:], " \t\r\n")}}
	if d.rule.Expr == "" {
		f.fault(p.file.Errorf(0, 1, "the file holds no query"), "write one query; lines that begin with # are comments")
		f.breaks(d.rule, 0)
		return f
	}
	d.declared, d.declaredBy = language, "the file name ends in "+p.ext
	d.place(p.file, yamlpos.Places{{At: start}})
	f.drafts = append(f.drafts, d)
	return f
}

// skipRemarks returns the offset at which a query begins after blank lines and
// lines that begin with #.
func skipRemarks(text string) int {
	start := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	for {
		rest := strings.TrimLeft(text[start:], " \t\r\n")
		start = len(text) - len(rest)
		if !strings.HasPrefix(rest, "#") {
			return start
		}
		comment, _, _ := strings.Cut(rest, "\n")
		start += len(comment)
	}
}
