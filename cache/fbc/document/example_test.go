package document_test

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/cache/fbc/document"
)

func ExampleDecode() {
	_, err := document.Decode(context.Background(), []byte("name: a\npackage: b\nname: c\n"), "scenario.yaml", document.Limits{})
	fmt.Println(err)
	// Output: scenario.yaml:3: the key "name" is given more than once: remove all but one
}
