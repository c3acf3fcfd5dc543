package report

import "fmt"

// runNotes are what could not be told of the runs of a recovery, each once, with
// the first build that it is said of.
func (v *recovery) runNotes() []string {
	var out []string
	seen := map[string]bool{}
	for i := range v.sides {
		s := &v.sides[i]
		for j := range s.Runs {
			for _, n := range s.Runs[j].Notes {
				if seen[n] {
					continue
				}
				seen[n] = true
				of := s.role
				if len(s.Runs) > 1 {
					of += fmt.Sprintf(", repetition %d", s.Runs[j].Repetition)
				}
				out = append(out, of+": "+bounded(n))
			}
		}
	}
	return out
}
