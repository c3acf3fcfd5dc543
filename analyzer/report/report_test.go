package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/analyzer"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden renders each fixture in each format.
func TestGolden(t *testing.T) {
	for _, fx := range fixtures {
		for _, f := range formats {
			if fx.only != "" && fx.only != f.name {
				continue
			}
			t.Run(fx.name+f.ext, func(t *testing.T) {
				got := render(t, f.name, fx.report(), fx.options)
				file := filepath.Join("testdata", fx.name+f.ext)
				if *update {
					if err := os.WriteFile(file, got, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", file, diff)
				}
			})
		}
	}
}

func render(t testing.TB, format string, r *analyzer.Report, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, format, r, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRender_UnknownFormat(t *testing.T) {
	err := Render(&bytes.Buffer{}, "pdf", &analyzer.Report{}, Options{})
	if err == nil || !strings.Contains(err.Error(), "terminal, json, markdown") {
		t.Errorf("Render pdf: %v", err)
	}
	if got := FormatOf(".md"); got != "markdown" {
		t.Errorf("FormatOf(.md) = %q", got)
	}
	if got := FormatOf(".pdf"); got != "" {
		t.Errorf("FormatOf(.pdf) = %q", got)
	}
}

// TestRender_Twice: the same input gives the same bytes.
func TestRender_Twice(t *testing.T) {
	for _, fx := range fixtures {
		for _, f := range formats {
			first := render(t, f.name, fx.report(), fx.options)
			for range 2 {
				if !bytes.Equal(first, render(t, f.name, fx.report(), fx.options)) {
					t.Errorf("%s%s differs from one time to the next", fx.name, f.ext)
				}
			}
		}
	}
}
