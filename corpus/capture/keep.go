package capture

import (
	"errors"
	"strings"
)

// Keep keeps a text by its name; see [Sink].
func (s *Session) Keep(name, text string) error {
	// What was recorded goes first: a place must not last longer than what
	// stands before it.
	var err error
	for _, f := range s.files() {
		err = errors.Join(err, f.sync())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		return s.check(err)
	}
	if err := s.tellLocked(&entry{Do: doKeep, Name: name, Place: text}); err != nil {
		return err
	}
	s.kept[name] = text
	return nil
}

// Kept returns what is kept by names that begin in a prefix; see [Sink].
func (s *Session) Kept(prefix string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for name, text := range s.kept {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			out[rest] = text
		}
	}
	return out
}
