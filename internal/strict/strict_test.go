package strict_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/strict"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestDecode: known keys with values of the right kind are decoded; everything
// else is reported with its line and path.
func TestDecode(t *testing.T) {
	type item struct{ Name, Other any }
	for _, tt := range []struct {
		text, refused string
		want          []string
	}{
		{text: "name: a\nsize: 3\nitems: [{name: b}]\ntable: {x: 1}\non: true\n"},
		{text: "name: 3\nsize: a\n", want: []string{"1 name: want text, got a number, 3; put it in quotes", "2 size: want a whole number, got a string"}},
		{text: "items: {}\ntable: []\non: 1\n", want: []string{"1 items: want a list, got an object", "2 table: want a mapping with keys, got an array", "3 on: want true or false, got a number, 1"}},
		{text: "items:\n- {nam: b}\n", want: []string{`2 items[0]: unknown key "nam"; the keys here are name; did you mean name?`}},
		{text: "NAME: a\nItems: [{OTHER: [1]}]\n", refused: " is refused"},
		{text: "Size: a\nnome: b\n", refused: " is refused", want: []string{"1 size: want a whole number, got a string", `2 : unknown key "nome" is refused; did you mean name?`}},
	} {
		var v struct {
			Name  string `json:"name"`
			Size  int    `json:"size"`
			Items []struct {
				item
				Name string `json:"name"`
			} `json:"items"`
			Table map[string]float64 `json:"table"`
			On    bool               `json:"on"`
		}
		root := testkit.Must(document.Decode(t.Context(), []byte(tt.text), "f.yaml", document.Limits{}))(t)
		var got []string
		d := strict.Decoder{Refused: tt.refused, Add: func(line int, path, message string) {
			got = append(got, fmt.Sprintf("%d %s: %s", line, path, message))
		}}
		d.Decode("", root, reflect.ValueOf(&v).Elem())
		require.Equal(t, tt.want, got, tt.text)
	}
}
