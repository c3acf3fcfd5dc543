package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

const corpusRepairLong = `Close the captures of a corpus that were interrupted.

A capture that is killed, or whose disk is full, leaves what it recorded in a
directory .capture-… of the corpus, and the corpus does not open. This makes an
incomplete run of it, which says what is missing; one that recorded nothing is
deleted. A comparison with an incomplete run has the finding corpus-incomplete.

Captures that still run are left alone, and so are finished runs. To go on with
an interrupted capture instead, use "stillfires capture --resume".`

func newCorpusRepairCommand(env *cliEnv) *cobra.Command {
	var format corpusFormat
	cmd := &cobra.Command{
		Use:   "repair DIR",
		Short: "Close captures that were interrupted, as incomplete runs",
		Long:  corpusRepairLong,
		Args:  exactArguments("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			done, err := capture.Repair(cmd.Context(), args[0], "stillfires "+buildVersion())
			rows := repairRows(done)
			if werr := format.write(env.stdout, rows, func(w io.Writer) error { return writeRepaired(w, args[0], rows, err) }); werr != nil {
				return werr
			}
			return err
		},
	}
	format.register(cmd)
	return cmd
}

// A repairRow is what became of one interrupted capture.
type repairRow struct {
	Spool string `json:"spool"`
	Run   string `json:"run"`
	// Outcome is "closed", "deleted" (it had recorded nothing) or "finished"
	// (only its spool was left).
	Outcome      string               `json:"outcome"`
	Completeness *corpus.Completeness `json:"completeness"`
}

func repairRows(done []capture.Repaired) []repairRow {
	rows := []repairRow{}
	for _, d := range done {
		row := repairRow{Spool: d.Spool, Run: d.Run.String(), Outcome: "deleted"}
		switch {
		case d.Finished:
			row.Outcome = "finished"
		case d.Result != nil:
			row.Outcome, row.Completeness = "closed", &d.Result.Manifest.Completeness
		}
		if d.Run == (corpus.RunInfo{}) {
			row.Run = ""
		}
		rows = append(rows, row)
	}
	return rows
}

func writeRepaired(w io.Writer, dir string, rows []repairRow, failed error) error {
	if len(rows) == 0 && failed == nil {
		_, err := fmt.Fprintf(w, "%s: no capture was interrupted\n", dir)
		return err
	}
	for _, r := range rows {
		var err error
		switch r.Outcome {
		case "deleted":
			_, err = fmt.Fprintf(w, "%s: had recorded nothing; deleted\n", r.Spool)
		case "finished":
			_, err = fmt.Fprintf(w, "%s: run %s was finished; what was left of its capture is deleted\n", r.Spool, r.Run)
		default:
			_, err = fmt.Fprintf(w, "%s: run %s is %s\n", r.Spool, r.Run, r.Completeness.State)
			for _, why := range r.Completeness.Reasons {
				fmt.Fprintf(w, "  missing: %s\n", plain(why))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
