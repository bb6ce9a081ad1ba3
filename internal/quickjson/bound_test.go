package quickjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

func TestBounded(t *testing.T) {
	for text, items := range map[string]int{
		``: 0, `1`: 0, `{}`: 1, `[]`: 1, `[{},{},{}]`: 6, `[1,2,3]`: 3, `{"a":1,"b":2}`: 1, `{"a":[null,null],"b":[{"c":1,"d":2}]}`: 5,
		`["[,,,",",\",,["]`: 2, `["\\",1]`: 2, `{"a":"\\\"[[[["}`: 1, `"unclosed [[[`: 0, `"\`: 0,
	} {
		require.True(t, quickjson.Bounded([]byte(text), items), text)
		if items > 0 {
			require.False(t, quickjson.Bounded([]byte(text), items-1), text)
		}
	}
	deep := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	require.True(t, quickjson.Bounded(deep(quickjson.MaxLevels), 1000))
	require.False(t, quickjson.Bounded(deep(quickjson.MaxLevels+1), 1000))
	require.True(t, quickjson.Bounded([]byte(`}]}]`), 0), "for the library to reject")
}

// itemsOf counts arrays, objects, and array items except each first one.
func itemsOf(v any) int {
	n := 0
	switch v := v.(type) {
	case []any:
		n = max(1, len(v))
		for _, item := range v {
			n += itemsOf(item)
		}
	case map[string]any:
		n = 1
		for _, member := range v {
			n += itemsOf(member)
		}
	}
	return n
}

// The count matches what the library decodes.
func FuzzBounded(f *testing.F) {
	f.Add([]byte(`{"a":[{},{"b":"\"["},null],"c":{"d":[[],[1,2]]}}`))
	f.Add([]byte(`["\\",{}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		if json.Unmarshal(text, &v) != nil {
			quickjson.Bounded(text, 10)
			return
		}
		n := itemsOf(v)
		if quickjson.Bounded(text, n-1) && n > 0 {
			t.Fatalf("%q has %d", text, n)
		}
	})
}
