package catalogd_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/catalogd"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// canned sends the same response to each request.
type canned struct {
	text         []byte
	open, opened int
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(c.text)), r)
	if err != nil {
		return nil, err
	}
	c.open++
	c.opened++
	resp.Body = &cannedBody{resp.Body, c}
	return resp, nil
}

type cannedBody struct {
	io.ReadCloser
	of *canned
}

func (b *cannedBody) Close() error {
	b.of.open--
	return b.ReadCloser.Close()
}

// FuzzAnswer reads arbitrary responses. Each results in a catalog or a documented error,
// deterministically, within the limits, and the body is closed.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(fmt.Sprintf("HTTP/1.1 200 OK\r\nEtag: \"1\"\r\nLast-Modified: Wed, 01 May 2024 12:00:00 GMT\r\nContent-Length: %d\r\n\r\n%s", len(one), one)))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(one) + "0\r\n\r\n"))
	f.Add([]byte("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + string(testkit.Gzip(one))))
	f.Add([]byte("HTTP/1.1 200 OK\r\n\r\n" + string(testkit.Gzip(string(testkit.Gzip(one))))))
	f.Add([]byte("HTTP/1.1 304 Not Modified\r\nEtag: \"1\"\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 429 Slow\r\nRetry-After: 10\r\nContent-Length: 3\r\n\r\nno\x1b"))
	f.Add([]byte("HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\r\n" + `{"a"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		transport := &canned{text: text}
		opts := catalogd.Options{Client: &http.Client{Transport: transport}, MaxBytes: 64 << 10,
			FBC: fbc.Options{MaxBlobBytes: 4 << 10, MaxTotalBytes: 256 << 10, MaxBlobs: 1000, MaxProblems: 20}}
		s := testkit.Must(catalogd.New("http://catalogd.example.com/catalogs/a", opts))(t)
		c, err := s.Load(context.Background(), nil)
		require.Zero(t, transport.open)
		if err != nil {
			require.Nil(t, c)
			require.NotEmpty(t, err.Error())
			var status *cache.StatusError
			if errors.As(err, &status) {
				require.NotContains(t, status.Excerpt, "\x1b")
				require.LessOrEqual(t, len([]rune(status.Excerpt)), 200)
			}
			_, again := s.Load(context.Background(), nil)
			require.EqualError(t, again, err.Error())
			return
		}
		require.NotNil(t, c.Catalog)
		require.True(t, strings.HasPrefix(c.Digest, "sha256:"))
		again := testkit.Must(s.Load(context.Background(), c))(t)
		require.Same(t, c, again)
		restored := &cache.Content{Catalog: c.Catalog, Digest: c.Digest, Validator: c.Validator}
		again = testkit.Must(s.Load(context.Background(), restored))(t)
		require.Same(t, restored, again)
	})
}
