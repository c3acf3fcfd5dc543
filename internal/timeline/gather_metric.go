package timeline

func (g *gatherer) metrics(s *source) { s.none = "no metrics were recorded" }
