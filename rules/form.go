package rules

// The functions here tell something of an expression by its form, without
// knowing its language. Strings, comments and names look alike in LogQL and
// PromQL.

// guessSelection tells by its form how an expression selects that PromQL
// cannot read: a name before the brace is that of a metric.
func guessSelection(expr string) selection {
	s, word := selectsNothing, "" // word: the last token, if it is a name
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '"' || c == '\'' || c == '`':
			i, word = skipString(expr, i), ""
		case c == '#':
			i = skipComment(expr, i)
		case c == '{':
			switch word {
			case "", "and", "or", "unless", "bool":
				s = selectsLabels
			default:
				return selectsMetric
			}
		case nameByte(c):
			start := i
			for i+1 < len(expr) && nameByte(expr[i+1]) {
				i++
			}
			word = expr[start : i+1]
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		default:
			word = ""
		}
	}
	return s
}

func nameByte(c byte) bool {
	return c == '_' || c == ':' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// hasPipe reports whether an expression has a pipe outside strings and
// comments.
func hasPipe(expr string) bool {
	for i := 0; i < len(expr); i++ {
		switch expr[i] {
		case '"', '\'', '`':
			i = skipString(expr, i)
		case '#':
			i = skipComment(expr, i)
		case '|':
			return true
		}
	}
	return false
}

// tokens counts the tokens of an expression, roughly.
func tokens(expr string) int {
	n := 0
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			continue
		case c == '"' || c == '\'' || c == '`':
			i = skipString(expr, i)
		case c == '#':
			i = skipComment(expr, i)
			continue
		case nameByte(c):
			for i+1 < len(expr) && nameByte(expr[i+1]) {
				i++
			}
		}
		n++
	}
	return n
}

// work says how much of the budget of a file an expression takes.
func work(expr string) int {
	n := tokens(expr) / 100
	if n > maxTokens/100 {
		n = 0 // it is refused at once
	}
	return 1 + len(expr)/64 + n*n
}

// skipString returns the offset of the quote that ends the string at i.
func skipString(expr string, i int) int {
	quote := expr[i]
	for i++; i < len(expr) && expr[i] != quote; i++ {
		if expr[i] == '\\' && quote != '`' {
			i++
		}
	}
	return i
}

// skipComment returns the offset of the line end after the comment at i.
func skipComment(expr string, i int) int {
	for i < len(expr) && expr[i] != '\n' {
		i++
	}
	return i
}
