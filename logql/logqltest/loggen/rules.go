package loggen

import "fmt"

func Needles() {}
func Rules(n int) []string { return []string{fmt.Sprint(n)} }
