// Program without reads constraints, and does not import package cel.
package main

import (
	"fmt"

	"github.com/seed109e2655/resolute/constraints"
)

func main() {
	c, err := constraints.Parse([]byte(`{"package": {"packageName": "etcd", "versionRange": ">=0.9.0"}}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(c)
	_, err = constraints.Parse([]byte(`{"cel": {"rule": "true"}}`))
	fmt.Println(err)
}
