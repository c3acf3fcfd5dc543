package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/analyzer/report"
)

// outputFlags say how and where a report is written.
type outputFlags struct {
	formats []string
	files   []string
	color   string
	width   int
	all     bool
	// again says how the comparison is made again; nil: it cannot be said.
	again *report.Again
}

// An output is one rendering of the report. An empty file is standard output.
type output struct {
	format string
	file   string
}

func (f *outputFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.formats, "format", nil, "report format: "+strings.Join(report.Formats(), ", ")+"; several are allowed (default terminal)")
	flags.StringSliceVarP(&f.files, "output", "o", nil, "write a format to this file instead of standard output; the ending says which of several (.json, .md, .txt)")
	flags.StringVar(&f.color, "color", "auto", "colour on a terminal: auto, always or never; NO_COLOR is respected")
	flags.IntVar(&f.width, "width", 0, "width of the terminal report in columns (default: that of the terminal, else 100)")
	flags.BoolVar(&f.all, "all", false, "show everything on a terminal and in markdown, with the evidence")
}

// resolve pairs formats with files. A file takes the format that its ending
// names; with one format and one file the ending does not matter. What has no
// file goes to standard output, which takes one format.
func (f *outputFlags) resolve() ([]output, error) {
	if f.width < 0 {
		return nil, fmt.Errorf("--width %d: must be a number of columns", f.width)
	}
	for _, name := range f.formats {
		if !slices.Contains(report.Formats(), name) {
			return nil, fmt.Errorf("--format %q: unknown; the formats are %s", name, strings.Join(report.Formats(), ", "))
		}
	}
	if _, err := f.colored(nil, func(string) string { return "" }); err != nil {
		return nil, err
	}
	formats := slices.Clone(f.formats)
	if len(formats) == 0 && len(f.files) == 0 {
		formats = []string{"terminal"}
	}
	var outs []output
	for i, file := range f.files {
		if slices.Contains(f.files[:i], file) {
			return nil, fmt.Errorf("-o %s: named twice", file)
		}
		format := report.FormatOf(filepath.Ext(file))
		if len(f.formats) == 1 && len(f.files) == 1 {
			format = f.formats[0]
		}
		if format == "" || len(f.formats) > 0 && !slices.Contains(f.formats, format) {
			return nil, fmt.Errorf("-o %s: which format? end it in .json, .md or .txt, and name that --format too", file)
		}
		formats = slices.DeleteFunc(formats, func(name string) bool { return name == format })
		outs = append(outs, output{format, file})
	}
	if len(formats) > 1 {
		return nil, fmt.Errorf("standard output takes one format, not %s; write the others to files with -o", strings.Join(formats, " and "))
	}
	for _, format := range formats {
		outs = append(outs, output{format: format})
	}
	return outs, nil
}

// protect refuses to write a report over something that it was made from. What
// that is takes a look at all rules, so it is asked only where a file is there
// to be lost.
func protect(outs []output, inputs func() []string) error {
	for _, o := range outs {
		info, err := os.Stat(o.file)
		if o.file == "" || err != nil {
			continue
		}
		for _, in := range inputs() {
			if used, err := os.Stat(in); err == nil && os.SameFile(info, used) {
				return fmt.Errorf("-o %s: that is an input of this comparison, and would be lost; name another file", o.file)
			}
		}
	}
	return nil
}

// screen checks the flags of a command with one output, and reports whether it
// is coloured.
func (f *outputFlags) screen(env *cliEnv) (color bool, err error) {
	if f.width < 0 {
		return false, fmt.Errorf("--width %d: must be a number of columns", f.width)
	}
	return f.colored(env.stdout, env.getenv)
}

// colored reports whether output to w is coloured.
func (f *outputFlags) colored(w io.Writer, getenv func(string) string) (bool, error) {
	switch f.color {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		file, ok := w.(*os.File)
		return ok && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd())), nil
	}
	return false, fmt.Errorf("--color %q: must be auto, always or never", f.color)
}

// columns returns how wide a terminal report on w may be.
func (f *outputFlags) columns(w io.Writer) int {
	if f.width > 0 {
		return f.width
	}
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 100
}

// writeReport renders everything first and writes then, files before standard
// output, so that nothing half-written stays behind.
func writeReport(ctx context.Context, env *cliEnv, rep *analyzer.Report, failOn analyzer.FailOn, outs []output, pictures []string, f *outputFlags) error {
	rendered := make([][]byte, len(outs))
	for i, o := range outs {
		opt := report.Options{Width: f.columns(env.stdout), FailOn: failOn, All: f.all, Again: f.again}
		if o.file == "" {
			opt.Color, _ = f.colored(env.stdout, env.getenv) // checked in resolve
		}
		var err error
		if opt.Pictures, err = linksTo(pictures, o.file); err != nil {
			return err
		}
		var buf bytes.Buffer
		if err := report.Render(&buf, o.format, rep, opt); err != nil {
			return fmt.Errorf("render %s: %w", o.format, err)
		}
		rendered[i] = buf.Bytes()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	toStdout := false
	for i, o := range outs {
		if o.file == "" {
			toStdout = true
			continue
		}
		if err := writeFile(o.file, rendered[i]); err != nil {
			return err
		}
	}
	if !toStdout {
		invalid := ""
		if n := len(rep.Problems); n == 1 {
			invalid = ", 1 item is not valid"
		} else if n > 1 {
			invalid = fmt.Sprintf(", %d items are not valid", n)
		}
		fmt.Fprintf(env.stderr, "stillfires: %s%s; wrote %s\n", rep.Verdict, invalid, strings.Join(f.files, ", "))
	}
	for i, o := range outs {
		if o.file == "" {
			if _, err := env.stdout.Write(rendered[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeFile puts content at path in one step: a reader sees the old file or
// the new one.
func writeFile(path string, content []byte) error {
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real // a link stays one
	}
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return fmt.Errorf("-o %s: is a folder; name a file in it", path)
		}
		// A pipe or a device cannot be replaced.
		return os.WriteFile(target, content, 0o644)
	}
	if err := replaceFile(target, content); err != nil {
		if p, ok := errors.AsType[*os.PathError](err); ok {
			err = p.Err // its path is that of a temporary file
		}
		return fmt.Errorf("-o %s: %w", path, err)
	}
	return nil
}

func replaceFile(path string, content []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(content)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
