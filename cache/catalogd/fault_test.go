package catalogd_test

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// hang keeps a connection open until the test ends.
func hang(_ net.Conn, ended <-chan struct{}) { <-ended }

// TestHangs: each wait has its own timeout. Package image tests the same in all phases.
func TestHangs(t *testing.T) {
	const short = 30 * time.Millisecond
	half := func(code string) string {
		return raw(t, func(conn net.Conn, ended <-chan struct{}) {
			fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", code, len(one), one[:len(one)/2])
			<-ended
		})
	}
	for waiting, base := range map[string]string{"a connection": "http://catalogd.example.com", "an answer": raw(t, hang), "more content": half("200 OK")} {
		t.Run(waiting, func(t *testing.T) {
			opts, client := options(t)
			switch waiting {
			case "a connection":
				opts.ConnectTimeout = short
				client.RoundTripper.(*http.Transport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
			case "an answer":
				opts.HeaderTimeout = short
			default:
				opts.IdleTimeout = short
			}
			err := fails(t, source(t, base, opts), nil)
			timeout := testkit.As[*cache.TimeoutError](t, err)
			require.Equal(t, waiting, timeout.Waiting)
			require.Equal(t, short, timeout.Limit)
			if waiting == "more content" {
				cut(t, err)
			}
			if waiting != "a connection" {
				ctx, cancel := context.WithTimeout(context.Background(), short)
				defer cancel()
				opts.HeaderTimeout, opts.IdleTimeout = time.Minute, time.Minute
				_, err := source(t, base, opts).Load(ctx, nil)
				require.ErrorIs(t, err, context.DeadlineExceeded)
			}
		})
	}
	t.Run("body of an error", func(t *testing.T) {
		opts, _ := options(t)
		opts.IdleTimeout = short
		err := fails(t, source(t, half("500 Oops"), opts), nil)
		require.NotEmpty(t, testkit.As[*cache.StatusError](t, err).Excerpt, "a partial body suffices")
	})
}

// cut requires the error of an incomplete catalog.
func cut(t *testing.T, err error) {
	testkit.As[*fbc.CutError](t, err)
	require.ErrorContains(t, err, "did not arrive whole")
}

// chunked returns a text as chunks, without the last chunk.
func chunked(text string) string {
	half := len(text) / 2
	return fmt.Sprintf("%x\r\n%s\r\n%x\r\n%s\r\n", half, text[:half], len(text)-half, text[half:])
}

// TestCut: an incomplete catalog is an error, never part of a catalog, and the previous content
// is retained.
func TestCut(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	packed := string(testkit.Gzip(one))
	wrong := packed[:len(packed)-6] + "\x00\x00" + packed[len(packed)-4:]
	lastLine := one[:strings.LastIndex(one, `"value"`)]
	for name, tt := range map[string]struct {
		answer string
		cause  error
	}{
		"short body":                        {ok + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(one)+1, one), io.ErrUnexpectedEOF},
		"much too short body":               {ok + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(one), etcd), io.ErrUnexpectedEOF},
		"no last chunk":                     {ok + "Transfer-Encoding: chunked\r\n\r\n" + chunked(one), io.ErrUnexpectedEOF},
		"half a chunk":                      {ok + "Transfer-Encoding: chunked\r\n\r\n" + chunked(one)[:len(etcd)], io.ErrUnexpectedEOF},
		"unmarked end":                      {ok + "Connection: close\r\n\r\n" + one, fbc.ErrUnmarkedEnd},
		"version 1.0":                       {"HTTP/1.0 200 OK\r\n\r\n" + one, fbc.ErrUnmarkedEnd},
		"half of gzip":                      {ok + fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(packed)/2, packed[:len(packed)/2]), io.ErrUnexpectedEOF},
		"head of gzip":                      {ok + fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", 5, packed[:5]), io.ErrUnexpectedEOF},
		"gzip to the end of the connection": {"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed[:len(packed)-1], io.ErrUnexpectedEOF},
		"wrong checksum":                    {ok + fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(wrong), wrong), gzip.ErrChecksum},
		"garbage after gzip":                {ok + fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%sxxxxxxxxxxxx", len(packed)+12, packed), gzip.ErrHeader},
		"half a line":                       {ok + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(lastLine), lastLine), fbc.ErrHalfValue},
		"incomplete but valid line":         {ok + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(one)-3, one[:len(one)-3]), fbc.ErrHalfValue},
	} {
		t.Run(name, func(t *testing.T) {
			opts, _ := options(t)
			err := fails(t, source(t, says(t, tt.answer), opts), nil)
			cut(t, err)
			require.ErrorIs(t, err, tt.cause)
		})
	}
	t.Run("complete gzip to the end of the connection", func(t *testing.T) {
		opts, _ := options(t)
		base := says(t, "HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+packed)
		require.Equal(t, "1.0.0", version(mustLoad(t, source(t, base, opts), nil), "kafka"), "the checksum proves that it is complete")
	})
	t.Run("long", func(t *testing.T) { // long enough to be decoded in parallel
		long := strings.Repeat(`{"schema":"other"}`+"\n", 50_000)
		opts, _ := options(t)
		opts.FBC.Parallel = 3
		var handler current
		source := source(t, server(t, handler.ServeHTTP).URL, opts)
		handler.set(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, one+long+etcd[:len(etcd)-3]) })
		err := fails(t, source, nil)
		cut(t, err)
		require.ErrorIs(t, err, fbc.ErrHalfValue)
		handler.set(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, one+etcd[:len(etcd)-3]+"\n"+long)
		})
		problems := mustLoad(t, source, nil).Catalog.Problems()
		require.Equal(t, fbc.CodeTruncated, problems[len(problems)-1].Code, "an invalid line before the end is a problem")
	})
	t.Run("reset", func(t *testing.T) {
		opts, _ := options(t)
		base := raw(t, func(conn net.Conn, _ <-chan struct{}) {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(one), etcd)
			time.Sleep(10 * time.Millisecond)
			_ = conn.(*net.TCPConn).SetLinger(0)
		})
		cut(t, fails(t, source(t, base, opts), nil))
	})
	t.Run("reset before headers", func(t *testing.T) {
		opts, _ := options(t)
		base := raw(t, func(conn net.Conn, _ <-chan struct{}) { _ = conn.(*net.TCPConn).SetLinger(0) })
		require.ErrorContains(t, fails(t, source(t, base, opts), nil), "cannot be fetched")
	})
}

// TestGarbage: a body without a catalog is an error, not an empty catalog.
func TestGarbage(t *testing.T) {
	for name, body := range map[string]string{
		"nothing": "", "page": "<!doctype html>\n<title>Sign in</title>\n", "text": "hello\nworld\n", "number": "1", "null": "null\n", "list": "[]\n",
		"zeros": strings.Repeat("\x00", 1000), "YAML": "schema: olm.package\nname: a\n", "half": `{"schema":`, "packed nothing": string(testkit.Gzip("")),
	} {
		t.Run(name, func(t *testing.T) {
			opts, _ := options(t)
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, body)
			})
			err := fails(t, source(t, s.URL, opts), nil)
			testkit.As[*fbc.UnreadableError](t, err)
			require.ErrorContains(t, err, s.URL)
		})
	}
	t.Run("no HTTP", func(t *testing.T) {
		opts, _ := options(t)
		require.ErrorContains(t, fails(t, source(t, says(t, "220 mail.example.com ESMTP\r\n"), opts), nil), "malformed HTTP")
	})
	t.Run("encoding", func(t *testing.T) {
		opts, _ := options(t)
		s := server(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, one)
		})
		require.ErrorContains(t, fails(t, source(t, s.URL, opts), nil), `"br"`)
	})
}

// endless writes until the reader stops, up to 10 GB.
func endless(w io.Writer, line string) {
	block := []byte(strings.Repeat(line, 1<<20/len(line)+1))
	for range 10 << 10 {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// TestTooMuch: a body of 10 GB is rejected, compressed or not.
func TestTooMuch(t *testing.T) {
	var size *cache.LimitError
	var limit *fbc.LimitError
	var members []string // a gzip stream may have any number of members
	for _, text := range []string{`{"schema":"other"}` + "\n", "\n", string(testkit.Gzip(""))} {
		members = append(members, string(testkit.Gzip(strings.Repeat(text, 1<<20/len(text)))))
	}
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		target  any
	}{
		"endless": {func(w http.ResponseWriter, _ *http.Request) { endless(w, etcd) }, &size},
		"one line": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"schema":"`)
			endless(w, "x")
		}, &size},
		"declared": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10000000000")
			_, _ = io.WriteString(w, etcd)
		}, &size},
		"bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			endless(w, members[0])
		}, &limit},
		"whitespace bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			endless(w, members[1])
		}, &limit},
		"header bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			endless(w, members[2])
		}, &limit},
	} {
		t.Run(name, func(t *testing.T) {
			opts, _ := options(t)
			opts.MaxBytes, opts.FBC.MaxTotalBytes, opts.FBC.MaxBlobBytes = 1<<20, 4<<20, 1<<16
			s := server(t, tt.handler)
			require.ErrorAs(t, fails(t, source(t, s.URL, opts), nil), tt.target)
		})
	}
	t.Run("exactly", func(t *testing.T) {
		s := server(t, func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush() // omits Content-Length
			_, _ = io.WriteString(w, one)
		})
		opts, _ := options(t)
		opts.MaxBytes, opts.FBC.MaxTotalBytes = int64(len(one)), int64(len(one))
		mustLoad(t, source(t, s.URL, opts), nil)
		opts.MaxBytes--
		require.ErrorAs(t, fails(t, source(t, s.URL, opts), nil), &size)
		opts.MaxBytes, opts.FBC.MaxTotalBytes = -1, int64(len(one))-1
		require.ErrorAs(t, fails(t, source(t, s.URL, opts), nil), &limit)
	})
}

// TestStatus: responses other than 200 and 304.
func TestStatus(t *testing.T) {
	date := "Wed, 01 May 2024 12:00:00 GMT"
	for _, tt := range []struct {
		code       int
		retryAfter string
		body       string
		wait       time.Duration
		excerpt    string
		want       string
	}{
		{429, "120", "slow down", 2 * time.Minute, "slow down", "send fewer requests (Retry-After 2m0s)"},
		{503, "Wed, 01 May 2024 12:01:30 GMT", "", 90 * time.Second, "", "try again later (Retry-After 1m30s)"},
		{429, "2000000000", "", 24 * time.Hour, "", "(Retry-After 24h0m0s)"},
		{500, "60", "oops\r\n\x1b[2J\u202e\x00\xff " + strings.Repeat("é", 500), 0, `oops \x1b[2J\u202e\x00\xff ` + strings.Repeat("é", 85) + "…", "status 500 (Internal Server Error)"},
		{404, "", "404 page not found\n", 0, "404 page not found", "correct the URL"},
		{403, "", "", 0, "", "token"},
		{204, "", "", 0, "", "check that"},
		{206, "", etcd, 0, strings.ReplaceAll(etcd, "\n", " ")[:197] + "…", "status 206"},
		{799, "", "", 0, "", "status 799"},
	} {
		t.Run(fmt.Sprint(tt.code, tt.retryAfter), func(t *testing.T) {
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Date", date)
				if tt.retryAfter != "" {
					w.Header().Set("Retry-After", tt.retryAfter)
				}
				w.WriteHeader(tt.code)
				if tt.code != 204 {
					_, _ = io.WriteString(w, tt.body)
				}
			})
			opts, _ := options(t)
			err := fails(t, source(t, s.URL, opts), nil)
			var status *cache.StatusError
			require.ErrorContains(t, err, tt.want)
			require.ErrorAs(t, err, &status)
			status.Advice = ""
			require.Equal(t, &cache.StatusError{Source: "the catalog at " + s.URL + "/api/v1/all", Host: s.Listener.Addr().String(), Code: tt.code, Status: http.StatusText(tt.code), Wait: tt.wait, Excerpt: tt.excerpt}, status)
			require.Equal(t, tt.wait, testkit.As[cache.RetryAfterer](t, err).RetryAfter())
		})
	}
}

// TestNotModifiedUnasked: a 304 response to an unconditional request is an error.
func TestNotModifiedUnasked(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	opts, _ := options(t)
	source := source(t, s.URL, opts)
	require.ErrorContains(t, fails(t, source, nil), "nothing changed")
	require.ErrorContains(t, fails(t, source, &cache.Content{Digest: "sha256:x"}), "nothing changed")
}

// TestWrongCertificate: a server that the client does not trust is an error.
func TestWrongCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, one) }))
	s.Config.ErrorLog = discard()
	s.StartTLS()
	defer s.Close()
	opts, _ := options(t)
	err := fails(t, source(t, s.URL, opts), nil)
	testkit.As[*tls.CertificateVerificationError](t, err)
	require.ErrorContains(t, err, "cannot be fetched")
}

// TestFaultsKeepWhatWasThere: a fault does not affect the next load.
func TestFaultsKeepWhatWasThere(t *testing.T) {
	var handler current
	s := server(t, handler.ServeHTTP)
	opts, _ := options(t)
	source := source(t, s.URL, opts)
	good := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	handler.set(good(one))
	last := mustLoad(t, source, nil)
	for i, fault := range []http.HandlerFunc{
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, two[:len(two)/2])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		good("<html>"),
		good(two[:len(two)-10]),
	} {
		handler.set(fault)
		fails(t, source, last)
		text, want := one, "1.0.0"
		if i%2 == 0 {
			text, want = two, "1.5.0"
		}
		handler.set(good(text))
		last = mustLoad(t, source, last)
		require.Equal(t, want, version(last, "kafka"))
	}
}

// TestTransportFails: an error of the transport is returned.
func TestTransportFails(t *testing.T) {
	opts, client := options(t)
	wrong := errors.New("the proxy is on fire")
	client.RoundTripper.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, wrong }
	err := fails(t, source(t, "http://user:secret@catalogd.example.com", opts), nil)
	require.ErrorIs(t, err, wrong)
	require.NotContains(t, err.Error(), "secret")
}
