package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker on releases.
var version = ""

const rootLong = `Will your alerts still fire after the upgrade?

stillfires replays saved LogQL queries and alert rules on the logs of two
builds of a controller, deployed and candidate, and says which of them go
blind, why, and what the candidate wrote instead.

Try it without any file of your own:

  stillfires demo

Compare two raw logs with the rules you have:

  stillfires compare --deployed deployed.log --candidate candidate.log \
      --rules 'rules/*.yaml' --labels app=kueue

Exit codes: 0 pass, 1 fail, 3 inconclusive, 2 bad usage or input,
130 interrupted. Where several apply, 2 wins over 1 over 3.`

// newRootCommand returns the tree of commands.
func newRootCommand(env *cliEnv) *cobra.Command {
	root := &cobra.Command{
		Use:           "stillfires",
		Short:         "Will your alerts still fire after the upgrade?",
		Long:          rootLong,
		Version:       buildVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetIn(env.stdin)
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.SetVersionTemplate("stillfires {{.Version}}\n")
	root.AddCommand(
		newCaptureCommand(env),
		newCompareCommand(env),
		newCorpusCommand(env),
		newDemoCommand(env),
		newExplainCommand(env),
		newMessagesCommand(env),
		newQueryCommand(env),
		newRulesCommand(env),
		newTimelineCommand(env),
	)
	return root
}

// buildVersion returns the release, or the commit that the binary was built
// from, and the Go version.
func buildVersion() string {
	v, goVersion := version, ""
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = info.GoVersion
		for _, s := range info.Settings {
			if v == "" && s.Key == "vcs.revision" {
				v = "devel-" + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	if v == "" {
		v = "devel"
	}
	return fmt.Sprintf("%s (%s)", v, goVersion)
}
