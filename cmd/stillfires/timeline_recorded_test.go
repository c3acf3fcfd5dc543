package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/shared"
)

// TestTimeline_Recorded holds what the command prints of recorded recoveries to
// files that people read, and to what must stand there whatever its layout.
func TestTimeline_Recorded(t *testing.T) {
	shared.Long(t)
	for _, tt := range []struct {
		corpus, scenario string
		picture          string // beside docs; empty: none
		says             []string
	}{
		{"kueue-multikueue", "delayed-canary", "../../docs/pictures/recovery-delayed-canary.svg", []string{
			`held back by watch restarted, 144\.4 s after probe ok \(9\d % of the way\), owner MultiKueue: the manager waits for the next step of its reconnect backoff`,
			`deployed v0\.17\.0 .*: 13 of 13 affected workloads recovered \(2 kept running\)`,
			`(?m)^team-b/canary-0\n  quota reserved +146\.\d log of management`,
		}},
		{"kueue-multikueue", "finished-history", "", []string{
			`(?m)^finish seen on management +deployed .* 52\.0 `,
			`(?m)^finish seen on management +deployed .*\n +candidate .* 21\.\d `,
			`because of reconciles of finished workloads\? 341 lines in it on deployed, 0 on candidate`,
		}},
		{"kai-binder", "recovery", "", []string{
			`(?m)^bound +deployed .* 0\.6 +0\.6 +1/1`, `application ready deployed +missing: no evidence`,
		}},
	} {
		t.Run(tt.scenario, func(t *testing.T) {
			folder := shared.Folder(t, "corpora", tt.corpus)
			dir := filepath.Join(t.TempDir(), "corpus")
			if err := compare.Import(t.Context(), "../../corpus/testdata/import/"+tt.corpus+".yaml", folder, dir); err != nil {
				t.Fatal(err)
			}
			args := []string{"timeline", "--corpus", dir, "--scenario", tt.scenario, "--rules", filepath.Join(folder, "rules", tt.corpus+".rules.yaml"), "--width", "100"}
			text := ran(t, args...)
			flat := strings.Join(strings.Fields(text), " ")
			for _, want := range tt.says {
				if re := regexp.MustCompile(want); !re.MatchString(text) && !re.MatchString(flat) {
					t.Errorf("nothing says %s", want)
				}
			}
			held(t, "testdata/recorded/"+tt.scenario+".txt", text)
			svg := ran(t, append(args, "--format", "svg")...)
			if err := wellFormed(svg); err != nil {
				t.Errorf("picture: %v", err)
			}
			if tt.picture != "" {
				held(t, tt.picture, svg)
			}
		})
	}
}

// ran returns what a command line prints.
func ran(t *testing.T, args ...string) string {
	t.Helper()
	var out, told bytes.Buffer
	env := &cliEnv{stdin: strings.NewReader(""), stdout: &out, stderr: &told, getenv: func(string) string { return "" }}
	if code := run(t.Context(), env, args); code != exitPass {
		t.Fatalf("%s: exit code %d: %s", strings.Join(args, " "), code, told.String())
	}
	return out.String()
}

// held holds text to a file.
func held(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func wellFormed(svg string) error {
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
