package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/redact"
)

// redactKeyVariable is the environment variable that holds the key of tokens.
const redactKeyVariable = "STILLFIRES_REDACT_KEY"

// maxKeyFile bounds a key file, in bytes.
const maxKeyFile = 64 << 10

// redactFlags say what is taken out of a corpus, and with which key.
type redactFlags struct {
	policy    string
	keyFile   string
	addresses string
}

// register registers the flags of commands that redact. With is the prefix of
// their names, for commands that do other things too.
func (f *redactFlags) register(flags *pflag.FlagSet, with string) {
	flags.StringVar(&f.policy, with+"policy", "", "what is taken out (see docs/redaction.md; default: secrets and emails)")
	flags.StringVar(&f.keyFile, with+"key-file", "", "file with the key of the tokens (default: the environment variable "+redactKeyVariable+", else a random key)")
	flags.StringVar(&f.addresses, with+"addresses", "", "IP addresses that are taken out: v4, v6, all or none (default: as the policy says, else none)")
}

// chosen returns the redactor of a command that redacts if --redact says so;
// nil if it does not.
func (f *redactFlags) chosen(flags *pflag.FlagSet, on bool, env *cliEnv) (corpus.Redactor, error) {
	for _, name := range []string{"redact-policy", "redact-key-file", "redact-addresses"} {
		if flags.Changed(name) && !on {
			return nil, fmt.Errorf("--%s says how to redact, but --redact is missing: nothing would be redacted", name)
		}
	}
	if !on {
		return nil, nil
	}
	r, err := f.redactor(env)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// redactor compiles and tests what the flags say. What the user should know of
// the key goes to stderr.
func (f *redactFlags) redactor(env *cliEnv) (*redact.Redactor, error) {
	p := redact.DefaultPolicy()
	if f.policy != "" {
		text, err := os.ReadFile(f.policy)
		if err != nil {
			return nil, err
		}
		if p, err = redact.ParsePolicy(f.policy, text); err != nil {
			return nil, err
		}
	}
	switch f.addresses {
	case "":
	case "v4", "v6", "all", "none":
		p.IPv4, p.IPv6 = f.addresses == "v4" || f.addresses == "all", f.addresses == "v6" || f.addresses == "all"
		p.Name += " with addresses " + f.addresses
	default:
		return nil, fmt.Errorf("addresses %q: want v4, v6, all or none", f.addresses)
	}
	key, err := f.key(env)
	if err != nil {
		return nil, err
	}
	return redact.New(p, key)
}

// key returns the key that is given, or a random one.
func (f *redactFlags) key(env *cliEnv) (*redact.Key, error) {
	if f.keyFile != "" {
		text, err := readKeyFile(f.keyFile)
		if err != nil {
			return nil, err
		}
		key, err := redact.NewKey(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.keyFile, err)
		}
		return key, nil
	}
	if text := env.getenv(redactKeyVariable); text != "" {
		key, err := redact.NewKey([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", redactKeyVariable, err)
		}
		return key, nil
	}
	key := redact.RandomKey()
	fmt.Fprintf(env.stderr, "no key was given: a random one is used (ID %s) and forgotten; what is redacted later has other tokens for the same values. Give one with --key-file or %s to keep them equal\n", key.ID(), redactKeyVariable)
	return key, nil
}

func readKeyFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxKeyFile+1))
	if err == nil && len(text) > maxKeyFile {
		err = fmt.Errorf("%s: is longer than %d bytes; it is no key", name, maxKeyFile)
	}
	return text, errors.Join(err, file.Close())
}
