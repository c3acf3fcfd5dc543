package corpus

// carryFiles copies files that are not logs.
func (j *runJob) carryFiles() error { return nil }
