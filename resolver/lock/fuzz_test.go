package lock_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lock"
)

// FuzzRead reads any bytes as a lock: what is refused has a sentence, what is not is written and
// read as the same lock, and verifying it does not panic.
func FuzzRead(f *testing.F) {
	l, _ := made(f, shop, wanted)
	text := written(f, l)
	f.Add([]byte(text))
	f.Add([]byte(text[:len(text)/2]))
	f.Add([]byte("version: 1\nquestion: {}\ncatalogs: []\nbundles: []\ncertificate: {version: 1}\ndigest: x\n"))
	f.Add([]byte(strings.Replace(text, "blobs:", "path: x\n    x:", 1)))
	f.Add(bytes.ReplaceAll([]byte(text), []byte("1"), []byte("-1")))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := lock.Read(ctx, bytes.NewReader(data), "resolute.lock")
		if err != nil {
			var bad *lock.Error
			require.True(t, errors.As(err, &bad), "%v", err)
			require.NotEmpty(t, bad.Message)
			require.Nil(t, l)
			return
		}
		sameBytes(t, l)
		now, err := l.Request()
		require.NoError(t, err)
		_, _ = lock.Verify(ctx, resolver.New(), l, now) // any answer, but no panic
		now.Catalogs = nil
		_, _ = lock.Verify(ctx, resolver.New(), l, now)
		_, _ = l.Resolve(ctx, resolver.New(), now)
	})
}
