package read

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An entry that needs no second look says what JSON says, and ends where JSON ends.
func TestPlainEntry(t *testing.T) {
	for _, text := range []string{
		`{"name":"a.v1"}`, `{"name":"a.v2","replaces":"a.v1"}`, `{"name":"a.v2","skipRange":">=1.0.0 <2.0.0"}`,
		`{"name":"a.v2","replaces":"a.v1","skipRange":"<2.0.0"}`, `{"name":"a.v2","replaces":""}`,
	} {
		var want struct{ Name, Replaces, SkipRange string }
		require.NoError(t, json.Unmarshal([]byte(text), &want))
		for _, behind := range []string{"", ",", "]}"} {
			got, length := readPlainEntry([]byte(text + behind))
			require.Equal(t, len(text), length, text)
			require.Equal(t, []string{want.Name, want.Replaces, want.SkipRange}, []string{string(got.name), string(got.replaces), string(got.skipRange)})
		}
		for i := range text {
			_, length := readPlainEntry([]byte(text[:i]))
			require.Zero(t, length, text[:i])
		}
		_, length := readPlainEntry([]byte(strings.Replace(text, ":", ": ", 1)))
		require.Zero(t, length)
	}
	for _, text := range []string{
		`{"name":""}`, `{"name":"\u0041"}`, `{"name":"ä"}`, `{"name":"a","name":"b"}`, `{"replaces":"a"}`, `{"name":"a","skipRange":"<2.0.0","replaces":"b"}`,
		`{"name":"a","skips":["b"]}`, `{"name":"a","replaces":null}`, `{"name":"a","replaces":"b","more":1}`, `","replaces":"b"}`, `{"name":"a"`, `["a"]`, ``,
	} {
		_, length := readPlainEntry([]byte(text))
		require.Zero(t, length, text)
	}
}
