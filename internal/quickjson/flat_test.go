package quickjson_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

func TestObject(t *testing.T) {
	for _, text := range []string{`{"a":"b"}`, `{"a":"b","c":"d"}`, `{"":""}`, `{"a":"b","a":"c"}`, `{"a":"{}[],:"}`} {
		require.True(t, quickjson.Object([]byte(text)), text)
	}
	for _, text := range []string{
		``, `{`, `{}`, `{"a"}`, `{"a":}`, `{"a":"b"`, `{"a":"b",}`, `{"a":"b"}}`, `{"a":"b"} `, `{"a": "b"}`, `{"a":"b" }`, `{ "a":"b"}`,
		`{"a":1}`, `{"a":null}`, `{"a":{}}`, `{"a":["b"]}`, `["a"]`, `"a"`, `{:"b"}`, `{"a"::"b"}`, `{"a":"\n"}`, "{\"a\":\"\n\"}", `{"a":"é"}`, `{"a\"":"b"}`,
		"{\"a\":\"\x7f\"}", `{"a":"b","c":"d"},{"e":"f"}`, `{"a":"b","c"`, `{"a":"b",`, `{"a":"b`,
	} {
		require.False(t, quickjson.Object([]byte(text)), text)
	}
}

// What is recognized is valid JSON and compact, and says what it seems to.
func TestObjectIsCompactJSON(t *testing.T) {
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`\{"[a-c\\" ]{0,3}":"[a-c\\"{}:,\x01é ]{0,4}"(,"[a-c]{0,2}":"[a-c,"]{0,3}"){0,2}\}[ }]?`),
			rapid.StringMatching(`[{}",:a\\ ]{0,12}`),
		).Draw(t, "text")
		if !quickjson.Object([]byte(text)) {
			return
		}
		seen++
		var members map[string]string
		require.NoError(t, json.Unmarshal([]byte(text), &members))
		var spaceless []byte
		inString := false
		for _, c := range []byte(text) {
			if c == '"' {
				inString = !inString
			}
			if inString || c != ' ' {
				spaceless = append(spaceless, c)
			}
		}
		require.Equal(t, text, string(spaceless))
	})
	if !testing.Short() { // which draws too few to be sure
		require.NotZero(t, seen)
	}
}

func TestString(t *testing.T) {
	for text, want := range map[string]int{`""`: 2, `"a"`: 3, `"a" b"`: 3, `"{}:,"x`: 6} {
		n, ok := quickjson.String([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, n)
	}
	for _, text := range []string{``, `a`, `"`, `"a`, `"a\n"`, "\"a\n\"", `"é"`, "\"\x7f\"", `a"b"`} {
		_, ok := quickjson.String([]byte(text))
		require.False(t, ok, text)
	}
}
