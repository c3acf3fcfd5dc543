package query

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql/syntax"
)

// filenameLabel names the file of a stream, as log collectors do. It is given
// where there are several files.
const filenameLabel = "filename"

// openFiles makes one run of single logs. Each is a stream. For a log query
// they are read as they are; a metric query, or a time told from the last
// record, needs to know the range of times first, so the logs are imported
// into a corpus that is thrown away afterwards.
func openFiles(ctx context.Context, opt *Options, q *question, when *when) (*logSource, error) {
	files := opt.Files
	if len(files) == 0 {
		files = []string{"-"}
	}
	for i, f := range files {
		if slices.Contains(files[:i], f) {
			return nil, fmt.Errorf("%s: named twice", f)
		}
		if f != "-" && corpus.IsCorpus(f) {
			return nil, fmt.Errorf("%s: is a corpus; name it with --corpus %s", f, f)
		}
	}
	src := &logSource{assumed: len(opt.Labels) == 0 && !selectsFile(q, len(files)), remove: func() {}}
	live, err := openLive(ctx, opt, files, canFlow(opt, q, when, len(files)))
	if err != nil {
		return nil, err
	}
	r := &logRun{name: strings.Join(files, " "), streams: fileStreams(files, opt.Labels)}
	src.runs = []*logRun{r}
	src.late = live.late
	r.text = live.verbatim(files)
	if live.undated != "" {
		return src, checkUndated(src, q, when, opt, live)
	}
	if q.IsLog() && !when.relative() {
		r.open = func(context.Context, func([]byte) []byte) (entries, error) { return live, nil }
		return src, nil
	}
	return src, importFiles(ctx, src, files, opt, live)
}

// canFlow reports whether lines of a pipe can be handed on as they come, not
// knowing yet whether the log has times.
func canFlow(opt *Options, q *question, when *when, files int) bool {
	return q.IsLog() && files == 1 && !when.given() && opt.Format != "json" && !q.usesTime()
}

// selectsFile reports whether the query tells files apart by their label, so
// that its selectors cannot be taken to match whatever there is.
func selectsFile(q *question, files int) bool {
	found := false
	if files > 1 {
		syntax.Walk(q.Expr(), func(n syntax.Node) bool {
			if s, ok := n.(*syntax.Selector); ok {
				found = found || slices.ContainsFunc(s.Matchers, func(m *syntax.Matcher) bool { return m.Name == filenameLabel })
			}
			return true
		})
	}
	return found
}

func fileStreams(files []string, labels logs.Labels) []logs.Labels {
	var out []logs.Labels
	for _, f := range files {
		ls := slices.Clone(labels)
		if _, ok := labels.Lookup(filenameLabel); len(files) > 1 && !ok {
			ls = append(ls, logs.Label{Name: filenameLabel, Value: filepath.ToSlash(f)})
		}
		out = append(out, logs.New(ls...))
	}
	return out
}

// checkUndated refuses what cannot be answered without times.
func checkUndated(src *logSource, q *question, when *when, opt *Options, live *liveLogs) error {
	src.runs[0].open = func(context.Context, func([]byte) []byte) (entries, error) { return live, nil }
	what := ""
	switch {
	case !q.IsLog():
		what = "a metric query"
	case when.given():
		what = "--from or --to"
	case opt.Format == "json":
		what = "--format json, which is that of Loki's API,"
	case q.usesTime():
		what = "a template that names __timestamp__ or now"
	}
	if what != "" {
		return errors.Join(fmt.Errorf("%s: %s; %s needs times: record the log with its times (kubectl logs --timestamps, docker logs -t), or ask for lines, such as |= \"text\", as text, raw, jsonl or csv",
			live.undatedFile, live.undated, what), live.Close())
	}
	return nil
}

// importFiles puts the logs into a corpus below the system's temporary folder.
func importFiles(ctx context.Context, src *logSource, files []string, opt *Options, live *liveLogs) (err error) {
	dir, err := os.MkdirTemp("", "stillfires-")
	if err != nil {
		return errors.Join(err, live.Close())
	}
	src.remove = func() { _ = os.RemoveAll(dir) } // best effort: it is below the temporary folder
	defer func() {
		if err != nil {
			src.remove()
		}
	}()
	r := src.runs[0]
	w, err := corpus.OpenForWrite(filepath.Join(dir, "corpus"), "stillfires")
	if err != nil {
		return errors.Join(err, live.Close())
	}
	if err := errors.Join(writeRun(ctx, w, files, live), w.Close()); err != nil {
		return err
	}
	c, err := corpus.Open(filepath.Join(dir, "corpus"))
	if err != nil {
		return err
	}
	run, err := c.OpenRun(tempBuild, corpus.DefaultScenario, 1)
	if err != nil {
		return err
	}
	stored := corpusRun(run)
	r.first, r.last, r.open = stored.first, stored.last, stored.open
	return nil
}

const tempBuild = "files"

// writeRun copies the logs into a run whose streams stand in the order of the
// files: they get a label that sorts so, which no query sees.
func writeRun(ctx context.Context, w *corpus.Writer, files []string, live *liveLogs) (err error) {
	defer func() { err = errors.Join(err, live.Close()) }()
	run, err := w.BeginRun(&corpus.Manifest{
		Build: tempBuild, Scenario: corpus.Scenario{Name: corpus.DefaultScenario}, Repetition: 1,
		Builds: []corpus.Build{{Name: tempBuild}},
	})
	if err != nil {
		return err
	}
	streams := make([]*corpus.StreamWriter, len(files))
	for i := range files {
		order := logs.Label{Name: "file", Value: fmt.Sprintf("%08d", i)}
		if streams[i], err = run.Stream("file"+strconv.Itoa(i), logs.New(order)); err != nil {
			return err
		}
		streams[i].Info.Time.Source = "record"
	}
	for n := 1; live.Scan(); n++ {
		if err := streams[live.Stream()].Append(live.Entry()); err != nil {
			return err
		}
		if n%cancelEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := live.Err(); err != nil {
		return err
	}
	return w.Commit(run)
}
