package image_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// short is a short timeout.
const short = 40 * time.Millisecond

// wire serves an image, but passes connections with matching request paths to a function.
func wire(t testing.TB, img *built, path string, answer func(conn net.Conn, r *http.Request, ended <-chan struct{})) image.Reference {
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ended := make(chan struct{})
	var group sync.WaitGroup
	double := &registry{img: img}
	group.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					r, err := http.ReadRequest(in)
					if err != nil {
						return // such as TLS
					}
					if strings.Contains(r.URL.Path, path) {
						answer(conn, r, ended)
						return
					}
					w := &wireWriter{header: http.Header{}}
					double.ServeHTTP(w, r)
					if r.Method == http.MethodHead {
						w.body.Reset()
					}
					fmt.Fprintf(conn, "HTTP/1.1 %d X\r\nContent-Length: %d\r\nDocker-Content-Digest: %s\r\n\r\n%s", max(w.code, 200), w.body.Len(), w.header.Get("Docker-Content-Digest"), w.body.String())
				}
			})
		}
	})
	t.Cleanup(func() {
		close(ended)
		l.Close()
		group.Wait()
	})
	return parsed(l.Addr().String() + "/ns/catalog:v1")
}

// wireWriter buffers a response.
type wireWriter struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (w *wireWriter) Header() http.Header         { return w.header }
func (w *wireWriter) WriteHeader(code int)        { w.code = code }
func (w *wireWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

// hang keeps a connection open until the test ends.
func hang(_ net.Conn, _ *http.Request, ended <-chan struct{}) { <-ended }

// large returns an image with a large layer, and the path of the layer.
func large(t testing.TB) (*built, string) {
	img := newImage().raw(t, tarOf(t, entry{name: "configs/etcd.json", body: strings.Repeat(etcd, 4000)}), plain).finish(t)
	return img, img.layers[0]["digest"].(string)
}

// TestHangs: each wait has its own timeout, and the context ends each.
func TestHangs(t *testing.T) {
	img, layer := large(t)
	half := func(conn net.Conn, _ *http.Request, ended <-chan struct{}) {
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(img.blobs[layer]), img.blobs[layer][:70_000])
		<-ended
	}
	for name, tt := range map[string]struct {
		path   string
		answer func(net.Conn, *http.Request, <-chan struct{})
		phase  string
	}{
		"first answer": {"/", hang, "an answer"},
		"half of a header": {"/", func(c net.Conn, r *http.Request, ended <-chan struct{}) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nConte")
			hang(c, r, ended)
		}, "an answer"},
		"manifest": {"/manifests/sha256", hang, "an answer"},
		"body of manifest": {"/manifests/sha256", func(c net.Conn, r *http.Request, ended <-chan struct{}) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")
			hang(c, r, ended)
		}, "more content"},
		"body of an error": {"/manifests/sha256", func(c net.Conn, r *http.Request, ended <-chan struct{}) {
			io.WriteString(c, "HTTP/1.1 418 X\r\nContent-Length: 500\r\n\r\n{")
			hang(c, r, ended)
		}, ""},
		"layer":           {layer, hang, "an answer"},
		"body of layer":   {layer, half, "more content"},
		"dripping header": {"/", drip, "an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := image.Options{HeaderTimeout: time.Minute, IdleTimeout: short, ConnectTimeout: time.Minute}
			if tt.phase == "an answer" {
				opts.HeaderTimeout, opts.IdleTimeout = short, time.Minute
			}
			err := fails(t, wire(t, img, tt.path, tt.answer), opts)
			if tt.phase == "" {
				var status *cache.StatusError
				require.ErrorAs(t, err, &status, "the received part suffices")
				return
			}
			late := testkit.As[*cache.TimeoutError](t, err)
			require.Equal(t, tt.phase, late.Waiting)
			require.Equal(t, short, late.Limit)
			require.True(t, late.Timeout())
		})
		t.Run(name+" and the context", func(t *testing.T) {
			ref := wire(t, img, tt.path, tt.answer)
			ctx, cancel := context.WithTimeout(context.Background(), short)
			defer cancel()
			f, err := image.Open(ctx, ref, image.Options{})
			require.Nil(t, f)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			end, _ := ctx.Deadline()
			require.Less(t, time.Since(end), 2*time.Second, "50 ms on an idle machine")
		})
	}
	t.Run("connection", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never sends a TLS handshake
		require.NoError(t, err)
		defer l.Close()
		late := testkit.As[*cache.TimeoutError](t, fails(t, parsed(l.Addr().String()+"/x:v1"), image.Options{ConnectTimeout: short}))
		require.Equal(t, "a connection", late.Waiting)
	})
}

// drip sends headers forever.
func drip(conn net.Conn, _ *http.Request, ended <-chan struct{}) {
	_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
	for err == nil {
		select {
		case <-ended:
			return
		case <-time.After(5 * time.Millisecond):
			_, err = io.WriteString(conn, "X-More: 1\r\n")
		}
	}
}

// TestSlowIsNotIdle: a response that makes progress does not time out, however slow it is.
func TestSlowIsNotIdle(t *testing.T) {
	img := good(t)
	layer := img.layers[0]["digest"].(string)
	ref := wire(t, img, layer, func(conn net.Conn, _ *http.Request, _ <-chan struct{}) {
		data := img.blobs[layer]
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(data))
		for i := 0; i < len(data); i += 40 {
			conn.Write(data[i:min(i+40, len(data))])
			time.Sleep(4 * short)
		}
	})
	open(t, ref, image.Options{IdleTimeout: 20 * short})
}

// TestLies: content that differs from its description is an error, never part of a catalog.
func TestLies(t *testing.T) {
	img, layer := large(t)
	data := img.blobs[layer]
	config := sum(nil)
	for digest := range img.blobs {
		if digest != layer {
			config = digest
		}
	}
	other := bytes.Replace(data, []byte("etcd"), []byte("evil"), 1)
	sends := func(head string, body []byte) func(net.Conn, *http.Request, <-chan struct{}) {
		return func(c net.Conn, r *http.Request, _ <-chan struct{}) {
			io.WriteString(c, head)
			if r.Method != http.MethodHead {
				c.Write(body)
			}
		}
	}
	length := func(n int) string { return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", n) }
	chunked := func(body []byte, end string) []byte {
		return fmt.Appendf(nil, "%x\r\n%s\r\n%s", len(body), body, end)
	}
	const unmarked = "HTTP/1.0 200 OK\r\n\r\n"
	const cut, wrong = "is incomplete", ", expected sha256:"
	for name, tt := range map[string]struct {
		path   string
		answer func(net.Conn, *http.Request, <-chan struct{})
		want   string
		what   string
	}{
		"cut off":                 {layer, sends(length(len(data)), data[:len(data)/2]), cut, "layer 1"},
		"length too short":        {layer, sends(length(len(data)-5), data[:len(data)-5]), cut, "layer 1"},
		"length too long":         {layer, sends(length(len(data)+5), append(bytes.Clone(data), "extra"...)), cut, "layer 1"},
		"no length, too short":    {layer, sends(unmarked, data[:len(data)-5]), cut, "layer 1"},
		"no length, too long":     {layer, sends(unmarked, append(bytes.Clone(data), "extra"...)), cut, "layer 1"},
		"chunks without an end":   {layer, sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunked(data[:1000], "")), cut, "layer 1"},
		"nothing":                 {layer, sends(length(0), nil), cut, "layer 1"},
		"other layer":             {layer, sends(length(len(data)), other), wrong, "layer 1"},
		"garbage":                 {layer, sends(length(len(data)), bytes.Repeat([]byte{7}, len(data))), wrong, "layer 1"},
		"other manifest":          {"/manifests/sha256", sends(length(2), []byte("{}")), wrong, "manifest"},
		"manifest cut off":        {"/manifests/sha256", sends(length(500), []byte("{}")), cut, "manifest"},
		"other configuration":     {config, sends(length(len(img.blobs[config])), bytes.Replace(img.blobs[config], []byte("configs"), []byte("secrets"), 1)), wrong, "configuration"},
		"configuration too short": {config, sends(length(2), []byte("{}")), cut, "configuration"},
		"other digest for HEAD":   {"/manifests/v1", sends("HTTP/1.1 200 OK\r\nDocker-Content-Digest: "+sum([]byte("x"))+"\r\nContent-Length: 5\r\nConnection: close\r\n\r\n", nil), "", "manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := testkit.Must(image.OpenStore(dir, image.StoreOptions{}))(t)
			for _, opts := range []image.Options{{Retries: -1}, {Store: s}} {
				err := fails(t, wire(t, img, tt.path, tt.answer), opts)
				if tt.want == "" {
					testkit.As[*cache.StatusError](t, err)
					continue
				}
				content := testkit.As[*image.ContentError](t, err)
				require.Contains(t, content.Reason, tt.want)
				require.Equal(t, tt.what, content.What)
			}
			requireEmpty(t, dir)
		})
	}
	t.Run("diff ID", func(t *testing.T) {
		img := newImage().layer(t, entry{name: "configs/a.json", body: etcd})
		img.diffs[0] = sum([]byte("something else"))
		content := testkit.As[*image.ContentError](t, fails(t, serve(t, img.finish(t)).ref(), image.Options{}))
		require.Contains(t, content.Reason, wrong)
		require.Equal(t, "layer 1 decompressed", content.What)
	})
	t.Run("requested by digest", func(t *testing.T) {
		a, b := good(t), newImage().layer(t, entry{name: "configs/a.json", body: kafka}).finish(t)
		r := serve(t, a)
		r.img.documents[b.top] = a.documents[a.top]
		err := fails(t, parsed(r.host()+"/x@"+b.top), image.Options{})
		content := testkit.As[*image.ContentError](t, err)
		require.Contains(t, content.Reason, "has digest "+a.top+", expected "+b.top)
	})
	for name, layer := range map[string][]byte{"gzip": {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 99, 99}, "zstd": {0x28, 0xb5, 0x2f, 0xfd, 99, 99, 99}, "tar": bytes.Repeat([]byte("x"), 2000), "short tar": data[:5000]} {
		t.Run("broken "+name, func(t *testing.T) {
			img := newImage()
			img.blobs[sum(layer)] = layer
			img.diffs = []string{sum(layer)}
			img.layers = []map[string]any{{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "size": len(layer), "digest": sum(layer)}}
			refused := testkit.As[*image.ContentError](t, fails(t, serve(t, img.finish(t)).ref(), image.Options{}))
			require.Equal(t, 1, refused.Layer)
		})
	}
}

// requireEmpty requires that a store has no image and no temporary file.
func requireEmpty(t testing.TB, dir string) {
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		require.True(t, e.IsDir(), "%s was not removed", path)
		return nil
	}))
}

// TestContinued: a truncated layer is resumed.
func TestContinued(t *testing.T) {
	img, layer := large(t)
	data := img.blobs[layer]
	var requests atomic.Int32
	ref := wire(t, img, layer, func(c net.Conn, r *http.Request, _ <-chan struct{}) {
		requests.Add(1)
		from := 0
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		to := min(from+len(data)/2-1000, len(data))
		if from == 0 {
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(data))
		} else {
			fmt.Fprintf(c, "HTTP/1.1 206 Partial Content\r\nContent-Length: %d\r\nContent-Range: bytes %d-%d/%d\r\n\r\n", len(data)-from, from, len(data)-1, len(data))
		}
		c.Write(data[from:to])
	})
	open(t, ref, image.Options{})
	require.EqualValues(t, 3, requests.Swap(0))
	cut := testkit.As[*image.ContentError](t, fails(t, ref, image.Options{Retries: 1}))
	require.EqualValues(t, 2, requests.Load())
	require.Contains(t, cut.Reason, fmt.Sprintf("received %d of %d bytes: ", 2*(len(data)/2-1000), len(data)))
	require.ErrorIs(t, cut, io.ErrUnexpectedEOF)

	t.Run("manifest", func(t *testing.T) {
		text := img.documents[img.top]
		var n atomic.Int32
		ref := wire(t, img, "/manifests/sha256", func(c net.Conn, _ *http.Request, _ <-chan struct{}) {
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text[:len(text)*int(n.Add(1))/3])
		})
		require.ErrorContains(t, fails(t, ref, image.Options{Retries: -1}), fmt.Sprintf("received %d bytes: ", len(text)/3))
		n.Store(0)
		open(t, ref, image.Options{})
		require.EqualValues(t, 3, n.Load())
	})
	t.Run("after a redirect", func(t *testing.T) {
		ref := wire(t, img, layer, func(c net.Conn, r *http.Request, _ <-chan struct{}) {
			if r.Header.Get("Range") == "" {
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(data), data[:70_000])
				return
			}
			rest := data[:len(data)-70_000]
			fmt.Fprintf(c, "HTTP/1.1 206 Partial Content\r\nContent-Length: %d\r\nContent-Range: bytes 0-%d/%d\r\n\r\n%s", len(rest), len(rest)-1, len(data), rest)
		})
		require.ErrorAs(t, fails(t, ref, image.Options{}), &cut)
	})
}

// TestStatuses: error responses of a registry.
func TestStatuses(t *testing.T) {
	for _, tt := range []struct {
		code, requests int
		says           string
	}{
		{401, 1, "no credentials found"}, {403, 1, "no credentials found"}, {404, 2, "correct the name, tag or digest"}, {429, 1, "send fewer requests"},
		{500, 3, "try again later"}, {502, 3, "try again later"}, {418, 1, "check that this is a registry"}, {304, 1, "check that this is a registry"},
	} {
		t.Run(fmt.Sprint(tt.code), func(t *testing.T) {
			r := serve(t, good(t))
			r.before = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(tt.code)
				fmt.Fprint(w, `{"errors":[{"code":"SOME","message":"a \u001b[31mred\u202e word"}]}`)
				return true
			}
			err := fails(t, r.ref(), image.Options{})
			status := testkit.As[*cache.StatusError](t, err)
			require.Equal(t, tt.code, status.Code)
			require.Equal(t, r.host(), status.Host)
			require.ErrorContains(t, err, tt.says)
			require.ErrorContains(t, err, r.ref().String())
			require.Equal(t, tt.code == 429, status.RetryAfter() == 7*time.Second)
			require.Len(t, r.requested(), tt.requests)
			if tt.code == 404 {
				require.Equal(t, `SOME: a \x1b[31mred\u202e word`, status.Excerpt)
			}
		})
	}
	t.Run("busy for a while", func(t *testing.T) {
		r := serve(t, good(t))
		n := 0
		r.before = func(w http.ResponseWriter, _ *http.Request) bool {
			if n++; n%3 != 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return n%3 != 0
		}
		open(t, r.ref(), image.Options{})
	})
	t.Run("without HEAD", func(t *testing.T) {
		r := serve(t, good(t))
		r.before = func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method == http.MethodHead {
				w.WriteHeader(http.StatusMethodNotAllowed)
			}
			return req.Method == http.MethodHead
		}
		require.Equal(t, r.img.top, open(t, r.ref(), image.Options{}).Digest())
	})
	t.Run("minimal headers", func(t *testing.T) {
		// No type, no length, a missing or invalid digest, and no support for range requests.
		for _, digest := range []string{"", "sha256:x", "nonsense"} {
			r := serve(t, good(t))
			r.before = func(w http.ResponseWriter, req *http.Request) bool {
				if !strings.Contains(req.URL.Path, "/manifests/") {
					return false
				}
				w.Header()["Content-Type"] = nil
				w.Header().Set("Docker-Content-Digest", digest)
				_ = http.NewResponseController(w).Flush()
				if req.Method == http.MethodGet {
					_, _ = w.Write(r.img.documents[r.img.top])
				}
				return true
			}
			require.Equal(t, r.img.top, open(t, r.ref(), image.Options{}).Digest())
			open(t, parsed(r.host()+"/x@"+r.img.top), image.Options{})
		}
	})
	t.Run("broken connection", func(t *testing.T) {
		var n atomic.Int32
		ref := wire(t, good(t), "/manifests/v1", func(c net.Conn, _ *http.Request, _ <-chan struct{}) {
			n.Add(1)
			_ = c.(*net.TCPConn).SetLinger(0)
		})
		testkit.As[*image.ConnectionError](t, fails(t, ref, image.Options{}))
		require.EqualValues(t, 3, n.Load())
	})
	t.Run("not HTTP", func(t *testing.T) {
		ref := wire(t, good(t), "/", func(c net.Conn, _ *http.Request, _ <-chan struct{}) { io.WriteString(c, "SSH-2.0-x\r\n") })
		testkit.As[*image.ConnectionError](t, fails(t, ref, image.Options{}))
	})
	t.Run("no server", func(t *testing.T) {
		broken := testkit.As[*image.ConnectionError](t, fails(t, parsed(testkit.FreeAddress(t)+"/x:v1"), image.Options{Retries: -1}))
		require.ErrorIs(t, broken, syscall.ECONNREFUSED)
	})
	t.Run("endless header", func(t *testing.T) {
		ref := wire(t, good(t), "/", func(c net.Conn, _ *http.Request, ended <-chan struct{}) {
			line := "X: " + strings.Repeat("x", 8000) + "\r\n"
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for err == nil {
				_, err = io.WriteString(c, line)
			}
		})
		testkit.As[*image.ConnectionError](t, fails(t, ref, image.Options{Retries: -1}))
	})
	t.Run("endless manifest", func(t *testing.T) {
		ref := wire(t, good(t), "/manifests/sha256", func(c net.Conn, _ *http.Request, ended <-chan struct{}) {
			_, err := io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\n")
			for err == nil {
				_, err = io.WriteString(c, strings.Repeat(" ", 8000))
			}
		})
		require.Equal(t, "MaxManifestBytes", testkit.As[*cache.LimitError](t, fails(t, ref, image.Options{})).Limit)
	})
}

// TestManyItems: documents of many small elements are rejected before they are decoded, from
// every source.
func TestManyItems(t *testing.T) {
	refused := func(t *testing.T, ref image.Reference) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := fails(t, ref, image.Options{})
		runtime.ReadMemStats(&after)
		require.Equal(t, "MaxManifestItems", testkit.As[*cache.LimitError](t, err).Limit)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20))
	}
	many := func(format string) []byte {
		return fmt.Appendf(nil, format, strings.Repeat("{},", 1_200_000)+"{}")
	}
	index := good(t)
	data := many(`{"schemaVersion":2,"manifests":[%s]}`)
	index.top, index.topType = sum(data), "application/vnd.oci.image.index.v1+json"
	index.documents[index.top] = data
	config := newImage().layer(t, entry{name: "configs/a.json", body: etcd})
	config.edit = func(m, _ map[string]any) {
		data := many(`{"rootfs":{"diff_ids":[]},"history":[%s]}`)
		config.blobs[sum(data)] = data
		m["config"] = map[string]any{"mediaType": "application/vnd.oci.image.config.v1+json", "digest": sum(data), "size": len(data)}
	}
	for name, img := range map[string]*built{"index": index, "configuration": config.finish(t)} {
		t.Run(name, func(t *testing.T) {
			refused(t, serve(t, img).ref())
			refused(t, layoutRef(img.layout(t)))
		})
	}
	t.Run("index of a layout", func(t *testing.T) {
		dir := good(t).layout(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "index.json"), data, 0o644))
		refused(t, layoutRef(dir))
	})
	t.Run("manifest of docker", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "x.tar")
		require.NoError(t, os.WriteFile(name, tarOf(t, entry{name: "manifest.json", body: string(many("[%s]"))}), 0o644))
		refused(t, parsed("docker-archive:"+name))
	})
	t.Run("text", func(t *testing.T) {
		img := newImage().layer(t, entry{name: "configs/a.json", body: etcd})
		img.labels["x"] = strings.Repeat(`,{[\"`, 100_000)
		open(t, serve(t, img.finish(t)).ref(), image.Options{})
	})
}

// TestArchiveBomb: a compressed archive is read from its beginning for each layer, and the
// total is limited.
func TestArchiveBomb(t *testing.T) {
	const layers, size = 50, 1 << 20
	names, entries := []string{}, []entry{{name: "filler", body: strings.Repeat("\x00", size)}}
	for i := range layers {
		names = append(names, fmt.Sprintf("%d.tar", i))
		entries = append(entries, entry{name: names[i], body: string(tarOf(t, entry{name: "configs/a.json", body: etcd}))})
	}
	config, err := json.Marshal(map[string]any{"config": map[string]any{"Labels": map[string]string{"operators.operatorframework.io.index.configs.v1": "/configs"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": slices.Repeat([]string{sum(tarOf(t, entry{name: "configs/a.json", body: etcd}))}, layers)}})
	require.NoError(t, err)
	manifest, err := json.Marshal([]map[string]any{{"Config": "config.json", "Layers": names}})
	require.NoError(t, err)
	entries = append(entries, entry{name: "config.json", body: string(config)}, entry{name: "manifest.json", body: string(manifest)})
	packed, _ := gzipped(t, tarOf(t, entries...))
	require.Less(t, len(packed), 200<<10)
	name := filepath.Join(t.TempDir(), "x.tar.gz")
	require.NoError(t, os.WriteFile(name, packed, 0o600))
	ref := parsed("docker-archive:" + name)
	open(t, ref, image.Options{Limits: image.Limits{MaxUnpackedBytes: 2 * layers * size}})
	err = fails(t, ref, image.Options{Limits: image.Limits{MaxUnpackedBytes: layers / 2 * size}})
	require.Equal(t, "MaxUnpackedBytes", testkit.As[*cache.LimitError](t, err).Limit)
	require.ErrorContains(t, err, "decompress the archive and read the result", "its layers are small")
}

// TestFiles: directories and archives that are missing or invalid.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	img := good(t)
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		return name
	}
	missing := img.layout(t)
	require.NoError(t, os.Remove(filepath.Join(missing, "blobs", strings.ReplaceAll(img.layers[0]["digest"].(string), ":", "/"))))
	for ref, says := range map[string]string{
		"oci:" + dir:                            "index.json: ",
		"oci:" + filepath.Join(dir, "none"):     "no such file",
		"oci:" + missing:                        "its layer 1: ",
		"oci:" + img.layout(t) + ":v9":          "it does not contain this image",
		"oci:" + img.layout(t) + "@" + sum(nil): "it does not contain this image",
		"oci-archive:" + write("a", "nothing"):  "index.json",
		"oci-archive:" + write("b", string(tarOf(t, entry{name: "x", body: "y"}))):                                                                 `no file "index.json"`,
		"docker-archive:" + write("c", string(tarOf(t, entry{name: "manifest.json", body: "[]"}))):                                                 "it does not contain this image",
		"docker-archive:" + write("d", string(tarOf(t, entry{name: "manifest.json", body: "{}"}))):                                                 "not valid for docker save",
		"docker-archive:" + write("e", string(tarOf(t, entry{name: "manifest.json", body: `[{"Config":"../x"}]`}))):                                "../x",
		"docker-archive:" + write("f", string(tarOf(t, entry{name: "manifest.json", body: `[{"Config":"x"},{"Config":"y","RepoTags":["a:b"]}]`}))): "the reference is ambiguous",
		"docker-archive:" + write("g", string(tarOf(t, entry{name: "manifest.json", kind: 0x32, link: "manifest.json"}))):                          "is not a file",
	} {
		err := fails(t, parsed(ref), image.Options{})
		var file *image.ContentError
		require.ErrorAs(t, err, &file, ref)
		require.Contains(t, file.Reason, says, ref)
	}
	require.ErrorIs(t, fails(t, parsed("oci:"+filepath.Join(dir, "none")), image.Options{}), fs.ErrNotExist)

	// Blobs shorter or longer than the manifest says.
	for _, change := range []func([]byte) []byte{func(b []byte) []byte { return b[:len(b)-1] }, func(b []byte) []byte { return nil }, func(b []byte) []byte { return append(b, 0) }} {
		lying := img.layout(t)
		name := filepath.Join(lying, "blobs", strings.ReplaceAll(img.layers[0]["digest"].(string), ":", "/"))
		data := testkit.Must(os.ReadFile(name))(t)
		require.NoError(t, os.WriteFile(name, change(data), 0o644))
		cut := testkit.As[*image.ContentError](t, fails(t, layoutRef(lying), image.Options{}))
		require.Contains(t, cut.Reason, fmt.Sprintf(" of %d bytes", len(data)))
	}

	var limit *cache.LimitError
	z := testkit.Gzip(bomb(t, "x", 2<<20))
	require.ErrorAs(t, fails(t, parsed("oci-archive:"+write("h", string(z))), image.Options{Limits: image.Limits{MaxUnpackedBytes: 1 << 20}}), &limit)
	require.ErrorAs(t, fails(t, parsed("oci-archive:"+write("i", string(tarOf(t, entry{name: "a"}, entry{name: "b"})))), image.Options{Limits: image.Limits{MaxEntries: 1}}), &limit)
	require.False(t, errors.Is(limit, fs.ErrNotExist))
}

// TestErrorTexts: each error names the image, the reason, and what to do.
func TestErrorTexts(t *testing.T) {
	const ref = "quay.io/ns/catalog:v1"
	refused := errors.New("connect: connection refused")
	for want, err := range map[string]error{
		`the image quay.io/ns/catalog:v1 cannot be read: its index sha256:00 contains no image`:                                        &image.ContentError{Reference: ref, What: "index", Digest: "sha256:00", Reason: "contains no image"},
		`the image quay.io/ns/catalog:v1 cannot be read: its layer 2 decompressed is incomplete`:                                       &image.ContentError{Reference: ref, What: "layer 2 decompressed", Reason: "is incomplete"},
		`the image quay.io/ns/catalog:v1 cannot be read: layer 2 (sha256:00), entry "a\x1b\"b": it is a device`:                        &image.ContentError{Reference: ref, Layer: 2, Digest: "sha256:00", Entry: "a\x1b\"b", Reason: "it is a device"},
		`the image quay.io/ns/catalog:v1 cannot be read: its layer 1: no such file`:                                                    &image.ContentError{Reference: ref, Reason: "its layer 1: no such file"},
		`images cannot be stored in /x: connect: connection refused; free space or fix permissions there, or choose another directory`: &image.StoreError{Dir: "/x", Err: refused},
		`the image quay.io/ns/catalog:v1 cannot be read: quay.io cannot be reached`:                                                    &image.ConnectionError{Reference: ref, Host: "quay.io", Reason: "cannot be reached"},
		`the credentials of a.json cannot be read: connect: connection refused; correct or remove them`:                                &image.CredentialsError{Source: "a.json", Err: refused},
	} {
		require.Equal(t, want, err.Error())
	}
}
