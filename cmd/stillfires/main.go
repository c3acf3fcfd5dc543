// Command stillfires tells whether saved alerts, queries and dashboards still
// match the logs of a controller after an upgrade.
//
// See README.md for a first use, and "stillfires help" for the commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit codes. Where several apply, usage wins over fail over inconclusive.
const (
	exitPass         = 0
	exitFail         = 1
	exitUsage        = 2
	exitInconclusive = 3
	exitInterrupted  = 130
)

// A cliEnv is what a command touches of the world besides files.
type cliEnv struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// An exitError carries the exit code of a command that did its work, such as
// a review that fails. It is not printed.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	env := &cliEnv{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	code := run(ctx, env, os.Args[1:])
	stop()
	os.Exit(code)
}

// run executes one command line and returns its exit code. Results go to
// env.stdout, everything else to env.stderr.
func run(ctx context.Context, env *cliEnv, args []string) int {
	root := newRootCommand(env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code exitError
	switch {
	case err == nil:
		return exitPass
	case errors.As(err, &code):
		return int(code)
	case ctx.Err() != nil:
		fmt.Fprintln(env.stderr, "stillfires: interrupted; nothing was written")
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE):
		return exitPass // the reader had enough
	}
	fmt.Fprintf(env.stderr, "stillfires: %v\n", err)
	return exitUsage
}
