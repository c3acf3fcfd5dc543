//go:build keepdeps

package keepdeps

import (
	_ "github.com/bmatcuk/doublestar/v4"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/grafana/regexp"
	_ "github.com/klauspost/compress/gzip"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/prometheus/prometheus/model/rulefmt"
	_ "github.com/prometheus/prometheus/promql"
	_ "github.com/prometheus/prometheus/promql/parser"
	_ "github.com/prometheus/prometheus/rules"
	_ "github.com/prometheus/prometheus/template"
	_ "github.com/prometheus/prometheus/tsdb"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/sergi/go-diff/diffmatchpatch"
	_ "github.com/spf13/cobra"
	_ "github.com/spf13/pflag"
	_ "github.com/tidwall/gjson"
	_ "go.yaml.in/yaml/v3"
	_ "golang.org/x/term"
	_ "github.com/mattn/go-runewidth"
	_ "golang.org/x/sync/errgroup"
	_ "github.com/dustin/go-humanize"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
)
