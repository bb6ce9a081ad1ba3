package fbc_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// FuzzIndexIgnore: whatever stands in an .indexignore file, loading a directory
// ends, finds the same twice, and each file is either read or left out: what a
// pattern cannot do is to add something.
func FuzzIndexIgnore(f *testing.F) {
	for _, seed := range []string{
		"", "*", "!*", "**", "/a", "a/", "sub/*.json", "[", "[!a]", "[]]", "{a,b}", "\\", "# x\n \n!sub/", "**/**/**/**/x", "*a*a*a*a*a*a*a*a*b",
		"\xff", "\u202e*", "sub/../f.json", "../*", "//", "a\\ ", "\ufeff*.json", "[a-", "[z-a]", "?\r\n*.x",
	} {
		f.Add([]byte(seed))
	}
	const other = `{"schema":"olm.bundle","package":"etcd","name":"etcd.v3","image":"i"}`
	f.Fuzz(func(t *testing.T, patterns []byte) {
		fsys := fstest.MapFS{
			"f.json":           {Data: []byte(goodLines)},
			"sub/g.json":       {Data: []byte(other)},
			".indexignore":     {Data: patterns},
			"sub/.indexignore": {Data: patterns},
		}
		c, err := fbc.Load(context.Background(), fsys, fbc.Options{})
		_, err2 := fbc.Load(context.Background(), fsys, fbc.Options{})
		if err != nil {
			var unreadable *fbc.UnreadableError
			require.True(t, errors.As(err, &unreadable) && !errors.Is(err, fs.ErrNotExist), "%v", err)
			require.Equal(t, err.Error(), err2.Error())
			return
		}
		require.NoError(t, err2)
		require.Contains(t, []int{0, 1, 2, 3}, c.Len())
		for _, p := range c.Problems() {
			require.NotEmpty(t, p.Message)
			require.Contains(t, []string{"f.json", "sub/g.json", ".indexignore", "sub/.indexignore"}, p.File)
		}
	})
}
