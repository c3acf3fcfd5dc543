package main

import (
	"bytes"
	"encoding/csv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stillfires/stillfires/analyzer/report"
)

const program = "stillfires"

// again returns how a comparison is made again with the flags that were given;
// nil where it read standard input, which cannot be read twice.
func (f *compareFlags) again(given *pflag.FlagSet) *report.Again {
	if f.deployed == "-" || f.candidate == "-" {
		return nil
	}
	out := &report.Again{Program: program}
	input := pflag.NewFlagSet("", pflag.ContinueOnError)
	input.SortFlags = false
	(&compareFlags{}).registerInput(input)
	input.VisitAll(func(known *pflag.Flag) {
		if flag := given.Lookup(known.Name); flag != nil && flag.Changed {
			out.Args = append(out.Args, flagWords(flag)...)
		}
	})
	return out
}

// flagWords returns the words that give a flag the value that it has.
func flagWords(flag *pflag.Flag) []string {
	name := "--" + flag.Name
	if flag.Shorthand != "" {
		name = "-" + flag.Shorthand
	}
	switch value := flag.Value.(type) {
	case pflag.SliceValue:
		var words []string
		for _, v := range value.GetSlice() {
			if flag.Value.Type() == "stringSlice" {
				v = csvField(v)
			}
			words = append(words, name, v)
		}
		return words
	default:
		if value.Type() == "bool" {
			return []string{"--" + flag.Name + "=" + value.String()}
		}
	}
	return []string{name, flag.Value.String()}
}

// csvField quotes a value for a flag that takes several, joined by commas.
func csvField(v string) string {
	if !strings.ContainsAny(v, ",\"\n") {
		return v
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write([]string{v}); err != nil {
		return v
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}
