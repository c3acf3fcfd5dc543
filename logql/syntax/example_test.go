package syntax_test

import (
	"errors"
	"fmt"

	"github.com/stillfires/stillfires/logql/syntax"
)

func ExampleParse() {
	e, err := syntax.Parse(`sum(rate({app="kueue"}|="panic"[5m]))BY(pod)>0`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e)
	syntax.Walk(e, func(n syntax.Node) bool {
		if m, ok := n.(*syntax.Matcher); ok {
			fmt.Println(m.Name, m.Op, m.Value)
		}
		return true
	})
	// Output:
	// sum by (pod) (rate({app="kueue"} |= "panic" [5m])) > 0
	// app = kueue
}

func ExampleError_Caret() {
	_, err := syntax.Parse(`{app="kueue"} | json | level=error`)
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		fmt.Println(bad)
		fmt.Println(bad.Caret())
	}
	// Output:
	// 1:30: expected a string, number, duration or size after =, found "error"; put it in quotes: level="error"
	// {app="kueue"} | json | level=error
	//                              ^^^^^
}
