package image_test

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// entriesOf reads the entries of a layer of testdata/layers.txt.
func entriesOf(part testkit.Part) []entry {
	kinds := map[string]byte{"character device": tar.TypeChar, "block device": tar.TypeBlock, "pipe": tar.TypeFifo}
	return testkit.Map(part.Lines, func(line string) entry {
		if name, link, ok := strings.Cut(line, " -> "); ok {
			return entry{name: name, kind: tar.TypeSymlink, link: link}
		}
		if name, link, ok := strings.Cut(line, " => "); ok {
			return entry{name: name, kind: tar.TypeLink, link: link}
		}
		if name, kind, ok := strings.Cut(line, " : "); ok {
			return entry{name: name, kind: kinds[kind]}
		}
		name, text, _ := strings.Cut(line, " = ")
		return entry{name: name, body: text}
	})
}

// layerCases returns the cases of testdata/layers.txt that have a verb.
func layerCases(t *testing.T, verb string) []testkit.Case {
	cases := testkit.Cases(t, "testdata/layers.txt", "layer", "holds", "refused")
	return slices.DeleteFunc(cases, func(c testkit.Case) bool { return len(c.All(verb)) == 0 })
}

// TestShapes: each image is read into memory, through a store, and again from the store.
func TestShapes(t *testing.T) {
	cases := layerCases(t, "holds")
	require.Greater(t, len(cases), 20)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			img := newImage()
			for i, l := range c.All("layer") {
				img.raw(t, tarOf(t, entriesOf(l)...), [](func(testing.TB, []byte) ([]byte, string)){gzipped, zstded, plain}[i%3])
			}
			want := c.Part("holds").Lines
			list := func(fsys fs.FS) []string { return testkit.Map(list(t, fsys), strings.TrimSpace) }
			ref := layoutRef(img.finish(t).layout(t))
			require.Equal(t, want, list(open(t, ref, image.Options{})))
			s := testkit.Must(image.OpenStore(t.TempDir(), image.StoreOptions{}))(t)
			require.Equal(t, want, list(open(t, ref, image.Options{Store: s})))
			kept := open(t, ref, image.Options{Store: s})
			require.Equal(t, want, list(kept))
			if len(want) > 0 && !strings.Contains(strings.Join(want, ""), "->") {
				var names []string
				for _, w := range want {
					name, _, _ := strings.Cut(w, ":")
					names = append(names, strings.TrimSuffix(name, "/"))
				}
				require.NoError(t, fstest.TestFS(kept, names...))
			}
		})
	}
}

// TestFolder: the label may name any folder.
func TestFolder(t *testing.T) {
	layer := []entry{{name: "a.json", body: "0"}, {name: "srv/fbc/b.json", body: "1"}, {name: "srv/fbc-not/c.json", body: "2"}}
	for label, want := range map[string][]string{
		"/srv/fbc":       {"b.json: 1"},
		"srv/fbc/":       {"b.json: 1"},
		"/srv//./fbc":    {"b.json: 1"},
		"/../../srv/fbc": {"b.json: 1"},
		"/":              {"a.json: 0", "srv/", "srv/fbc/", "srv/fbc-not/", "srv/fbc-not/c.json: 2", "srv/fbc/b.json: 1"},
	} {
		img := newImage()
		img.labels[image.LabelConfigs] = label
		f := open(t, layoutRef(img.layer(t, layer...).finish(t).layout(t)), image.Options{})
		require.ElementsMatch(t, want, list(t, f), label)
	}
}

// TestCacheOption: the cache folder in opm's options is excluded.
func TestCacheOption(t *testing.T) {
	for name, cmd := range map[string]any{
		"joined": []string{"serve", "/configs", "--cache-dir=/configs/tmp"},
		"apart":  []string{"serve", "/configs", "--cache-dir", "/configs/tmp"},
		"above":  []string{"serve", "/configs", "--cache-dir", "/configs/tmp", "--cache-dir=/"},
	} {
		img := newImage().layer(t, entry{name: "configs/a.json", body: "A"}, entry{name: "configs/tmp/some.json", body: "{}"})
		img.edit = func(_, config map[string]any) { config["config"].(map[string]any)["Cmd"] = cmd }
		require.Equal(t, []string{"a.json: A"}, list(t, open(t, layoutRef(img.finish(t).layout(t)), image.Options{})), name)
	}
}

// TestRefusedLayers: an invalid entry is an error that names the reason and the position.
func TestRefusedLayers(t *testing.T) {
	fine := entry{name: "configs/a.json", body: etcd}
	refused := func(t *testing.T, says string, layer ...entry) {
		dir := newImage().layer(t, entry{name: "etc/os-release", body: "x"}).layer(t, layer...).finish(t).layout(t)
		err := fails(t, layoutRef(dir), image.Options{})
		refused := testkit.As[*image.ContentError](t, err)
		require.Equal(t, 2, refused.Layer)
		require.NotEmpty(t, refused.Entry)
		require.Contains(t, refused.Reason, says)
		require.Contains(t, err.Error(), layoutRef(dir).String())
	}
	cases := layerCases(t, "refused")
	require.Greater(t, len(cases), 20)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { refused(t, c.Part("refused").Rest, entriesOf(c.Part("layer"))...) })
	}
	for name, says := range map[string]string{
		"\xff.json": "not UTF-8", strings.Repeat("d/", 300) + "x": "folders deep", strings.Repeat("d", 5000): "longer than 4096 bytes",
	} {
		refused(t, says, fine, entry{name: "configs/" + name, body: "x"})
	}
	t.Run("no folder", func(t *testing.T) {
		err := fails(t, layoutRef(newImage().layer(t, entry{name: "etc/x", body: "x"}).finish(t).layout(t)), image.Options{})
		require.ErrorContains(t, err, "the image has no folder /configs")
	})
	t.Run("hidden folder", func(t *testing.T) {
		err := fails(t, layoutRef(newImage().layer(t, fine).layer(t, entry{name: ".wh.configs"}).finish(t).layout(t)), image.Options{})
		require.ErrorContains(t, err, "the image has no folder /configs")
	})
}

// bomb returns a gzip tar with a file of size zeros, and the digest of the decompressed tar.
func bomb(t testing.TB, name string, size int64) []byte {
	r, w := io.Pipe()
	go func() {
		tw := tar.NewWriter(w)
		err := tw.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: size, Mode: 0o644})
		if err == nil {
			_, err = io.Copy(tw, testkit.Repeat("\x00", size))
		}
		w.CloseWithError(errors.Join(err, tw.Close()))
	}()
	return testkit.Must(io.ReadAll(r))(t)
}

// TestLimits: each limit has an error that names it and the position.
func TestLimits(t *testing.T) {
	many := func(prefix string, n int) []entry {
		all := []entry{{name: "configs/a.json", body: etcd}}
		for i := range n {
			all = append(all, entry{name: fmt.Sprintf("%s%d", prefix, i)})
		}
		return all
	}
	links := []entry{{name: "configs/big.json", body: strings.Repeat("x", 1000)}}
	for i := range 100 {
		links = append(links, entry{name: fmt.Sprintf("configs/l%d.json", i), kind: tar.TypeSymlink, link: "big.json"})
	}
	for name, tt := range map[string]struct {
		limits image.Limits
		img    *built
		limit  string
		layer  int
	}{
		"entries":       {image.Limits{MaxEntries: 50}, newImage().layer(t, many("usr/", 30)...).layer(t, many("usr/", 30)...), "MaxEntries", 2},
		"files":         {image.Limits{MaxFiles: 20}, newImage().layer(t, many("configs/", 30)...), "MaxFiles", 1},
		"hidden files":  {image.Limits{MaxFiles: 20}, newImage().layer(t, many("configs/a", 12)...).layer(t, append(many("configs/b", 12), entry{name: "configs/.wh..wh..opq"})...), "MaxFiles", 2},
		"folders":       {image.Limits{MaxFiles: 20}, newImage().layer(t, entry{name: "configs/" + strings.Repeat("d/", 30) + "x"}), "MaxFiles", 1},
		"file bytes":    {image.Limits{MaxFileBytes: 999}, newImage().layer(t, entry{name: "configs/a", body: strings.Repeat("x", 1000)}), "MaxFileBytes", 1},
		"all layers":    {image.Limits{MaxFileBytes: 1500}, newImage().layer(t, entry{name: "configs/a", body: strings.Repeat("x", 1000)}).layer(t, entry{name: "configs/a", body: strings.Repeat("y", 1000)}), "MaxFileBytes", 2},
		"links":         {image.Limits{MaxFileBytes: 5000}, newImage().layer(t, links...), "MaxFileBytes", 1},
		"bomb":          {image.Limits{MaxUnpackedBytes: 1 << 20}, newImage().raw(t, bomb(t, "usr/zeros", 2<<20), gzipped), "MaxUnpackedBytes", 1},
		"zstd bomb":     {image.Limits{MaxUnpackedBytes: 1 << 20}, newImage().raw(t, bomb(t, "usr/zeros", 2<<20), zstded), "MaxUnpackedBytes", 1},
		"after the tar": {image.Limits{MaxUnpackedBytes: 1 << 20}, newImage().raw(t, append(tarOf(t, entry{name: "configs/a"}), make([]byte, 2<<20)...), gzipped), "MaxUnpackedBytes", 1},
		"bytes":         {image.Limits{MaxBytes: 100}, newImage().layer(t, many("configs/", 30)...), "MaxBytes", 1},
		"layers":        {image.Limits{MaxLayers: 2}, newImage().layer(t).layer(t).layer(t), "MaxLayers", 0},
		"manifest":      {image.Limits{MaxManifestBytes: 100}, newImage().layer(t), "MaxManifestBytes", 0},
	} {
		t.Run(name, func(t *testing.T) {
			img := tt.img.finish(t)
			for _, ref := range []image.Reference{layoutRef(img.layout(t)), serve(t, img).ref()} {
				limit := testkit.As[*cache.LimitError](t, fails(t, ref, image.Options{Limits: tt.limits}))
				require.Equal(t, tt.limit, limit.Limit)
				if tt.layer > 0 {
					require.Contains(t, limit.At, fmt.Sprintf("layer %d", tt.layer))
				}
				require.Contains(t, limit.Error(), "raise Limits."+tt.limit)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		open(t, layoutRef(newImage().layer(t, many("configs/", 30)...).finish(t).layout(t)), image.Options{Limits: image.Limits{
			MaxBytes: -1, MaxUnpackedBytes: -1, MaxFileBytes: -1, MaxFiles: -1, MaxEntries: -1, MaxLayers: -1, MaxManifestBytes: -1, MaxRedirects: -1}})
	})
	t.Run("huge sparse file", func(t *testing.T) {
		// A header of a few bytes declares a file with 2^60 bytes of holes.
		data := tarOf(t, entry{name: "configs/a.json", body: etcd})
		data = append(sparse(t, "configs/b.json"), data...)
		limit := testkit.As[*cache.LimitError](t, fails(t, layoutRef(newImage().raw(t, data, gzipped).finish(t).layout(t)), image.Options{}))
		require.Equal(t, "MaxFileBytes", limit.Limit)
	})
}

// sparse returns a sparse file of GNU tar, nearly all holes, without an end of archive.
func sparse(t testing.TB, name string) []byte {
	var h [512]byte
	copy(h[:], name)
	copy(h[100:], "0000644\x00")
	copy(h[108:], "0000000\x00")
	copy(h[116:], "0000000\x00")
	copy(h[124:], "00000000000\x00") // no data
	copy(h[136:], "00000000000\x00")
	h[156] = tar.TypeGNUSparse
	copy(h[257:], "ustar  \x00")
	size := uint64(1) << 60 // at 483, base 256
	h[483] = 0x80
	for i := range 8 {
		h[483+11-i] = byte(size >> (8 * i))
	}
	sum := 0
	for i := range h {
		if i >= 148 && i < 156 {
			sum += ' '
			continue
		}
		sum += int(h[i])
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	r := tar.NewReader(strings.NewReader(string(h[:])))
	got, err := r.Next()
	require.NoError(t, err, "the header is invalid")
	require.EqualValues(t, size, got.Size)
	return h[:]
}

// TestMillionEntries: a layer with 10^6 entries is an error.
func TestMillionEntries(t *testing.T) {
	testkit.OnlyLong(t, "it takes seconds")
	block := tarOf(t, entry{name: "usr/x"})[:512]
	data := make([]byte, 0, 512*1_000_000)
	for range 1_000_000 {
		data = append(data, block...)
	}
	dir := newImage().raw(t, data, zstded).finish(t).layout(t)
	require.Equal(t, "MaxEntries", testkit.As[*cache.LimitError](t, fails(t, layoutRef(dir), image.Options{})).Limit)
}

// TestCancel: a canceled context stops each phase.
func TestCancel(t *testing.T) {
	size := testkit.Times[int64](64<<20, 256<<20)
	dir := newImage().raw(t, bomb(t, "usr/zeros", size), gzipped).layer(t, entry{name: "configs/a.json", body: etcd}).finish(t).layout(t)
	for _, after := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		_, err := image.Open(ctx, layoutRef(dir), image.Options{})
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "was canceled")
	}
}
