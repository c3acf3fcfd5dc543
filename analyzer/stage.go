package analyzer

// wanted returns the literals that the stage at which the builds part looks
// for, and the field in which it looks.
func (c *cell) wanted(p *Parting) (literals []string, field string) { return nil, "" }

// stageInWords says what no line on the losing build has: the stage in words.
func (c *cell) stageInWords(p *Parting) string { return "no line passes " + p.Stage }

func (c *comparison) twins() map[int]bool { return nil }
