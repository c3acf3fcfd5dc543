package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	test := func(code int, out, err string, args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if got := run(args, &stdout, &stderr); got != code {
			t.Errorf("%v: exit code %d; want %d: %s", args, got, code, stderr.String())
		}
		if !strings.HasPrefix(stdout.String(), out) || !strings.Contains(stderr.String(), err) {
			t.Errorf("%v: wrote %.80q and the error %q; want %q and %q", args, stdout.String(), stderr.String(), out, err)
		}
	}
	test(0, `{"level":"`, "", "-lines", "2")
	test(0, "level=", "", "-lines", "2", "-format", "logfmt")
	test(0, "sum", "", "-rules", "3")
	test(0, "", "", "-lines", "0")
	test(2, "", `unknown format "xml"`, "-format", "xml")
	test(2, "", "usage", "-lines", "-1")
	test(2, "", "usage", "more")
}
