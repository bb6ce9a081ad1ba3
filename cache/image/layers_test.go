package image_test

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// shapes are images and what has to be in their folder, by the rules of the
// OCI image specification (layer.md).
var shapes = []struct {
	name   string
	layers [][]entry
	want   []string
}{
	{"only what is below the folder", [][]entry{{{name: "etc/passwd", body: "root"}, {name: "configs/a.json", body: "A"}, {name: "configs2/b.json", body: "B"}}},
		[]string{"a.json: A"}},
	{"a dot and a slash before names", [][]entry{{{name: "./"}, {name: "./configs/"}, {name: "./configs/a.json", body: "A"}}},
		[]string{"a.json: A"}},
	{"a later layer replaces", [][]entry{{{name: "configs/a.json", body: "old"}}, {{name: "configs/a.json", body: "new"}}},
		[]string{"a.json: new"}},
	{"a whiteout hides a file", [][]entry{{{name: "configs/a.json", body: "A"}, {name: "configs/b.json", body: "B"}}, {{name: "configs/.wh.a.json"}}},
		[]string{"b.json: B"}},
	{"a whiteout hides a folder", [][]entry{{{name: "configs/d/a.json", body: "A"}, {name: "configs/b.json", body: "B"}}, {{name: "configs/.wh.d"}}},
		[]string{"b.json: B"}},
	{"what is hidden comes back", [][]entry{{{name: "configs/a.json", body: "1"}}, {{name: "configs/.wh.a.json"}}, {{name: "configs/a.json", body: "3"}}},
		[]string{"a.json: 3"}},
	{"a whiteout does not hide what is in its own layer, whatever the order", [][]entry{
		{{name: "configs/a.json", body: "1"}, {name: "configs/b.json", body: "1"}},
		{{name: "configs/a.json", body: "2"}, {name: "configs/.wh.a.json"}, {name: "configs/.wh.b.json"}, {name: "configs/b.json", body: "2"}}},
		[]string{"a.json: 2", "b.json: 2"}},
	{"a folder hidden and made anew", [][]entry{{{name: "configs/d/old.json", body: "1"}}, {{name: "configs/d/"}, {name: "configs/d/new.json", body: "2"}, {name: "configs/.wh.d"}}},
		[]string{"d/", "d/new.json: 2"}},
	{"an opaque folder hides what is below, but not itself", [][]entry{{{name: "configs/d/"}, {name: "configs/d/a.json", body: "1"}}, {{name: "configs/d/.wh..wh..opq"}}},
		[]string{"d/"}},
	{"an opaque folder keeps what its own layer has", [][]entry{
		{{name: "configs/d/a.json", body: "1"}, {name: "configs/d/e/b.json", body: "1"}},
		{{name: "configs/d/c.json", body: "2"}, {name: "configs/d/e/d.json", body: "2"}, {name: "configs/d/.wh..wh..opq"}}},
		[]string{"d/", "d/c.json: 2", "d/e/", "d/e/d.json: 2"}},
	{"the folder itself is opaque", [][]entry{{{name: "configs/a.json", body: "1"}}, {{name: "configs/.wh..wh..opq"}, {name: "configs/b.json", body: "2"}}},
		[]string{"b.json: 2"}},
	{"the root is opaque", [][]entry{{{name: "configs/a.json", body: "1"}}, {{name: ".wh..wh..opq"}, {name: "configs/b.json", body: "2"}}},
		[]string{"b.json: 2"}},
	{"the folder is hidden and comes back", [][]entry{{{name: "configs/a.json", body: "1"}}, {{name: ".wh.configs"}}, {{name: "configs/b.json", body: "3"}}},
		[]string{"b.json: 3"}},
	{"notes of aufs are no files", [][]entry{{{name: "configs/a.json", body: "1"}, {name: "configs/.wh..wh.plnk/", body: ""}, {name: "configs/.wh..wh.aufs"}}},
		[]string{"a.json: 1"}},
	{"a file becomes a folder, and a folder a file", [][]entry{
		{{name: "configs/x", body: "1"}, {name: "configs/y/a.json", body: "1"}},
		{{name: "configs/x/"}, {name: "configs/x/b.json", body: "2"}, {name: "configs/y", body: "2"}}},
		[]string{"x/", "x/b.json: 2", "y: 2"}},
	{"a hard link", [][]entry{{{name: "configs/a.json", body: "A"}, {name: "configs/b.json", kind: tar.TypeLink, link: "configs/a.json"}}},
		[]string{"a.json: A", "b.json: A"}},
	{"a hard link to a lower layer, of which the first name is hidden", [][]entry{
		{{name: "configs/a.json", body: "A"}}, {{name: "configs/b.json", kind: tar.TypeLink, link: "configs/a.json"}}, {{name: "configs/.wh.a.json"}}},
		[]string{"b.json: A"}},
	{"symbolic links to files, relative, absolute, through folders and links", [][]entry{{
		{name: "configs/d/a.json", body: "A"}, {name: "configs/b.json", kind: tar.TypeSymlink, link: "d/a.json"},
		{name: "configs/c.json", kind: tar.TypeSymlink, link: "/configs/d/a.json"},
		{name: "configs/e", kind: tar.TypeSymlink, link: "d"}, {name: "configs/f.json", kind: tar.TypeSymlink, link: "e/../d/./a.json"},
		{name: "configs/d/g.json", kind: tar.TypeSymlink, link: "../../configs/c.json"}}},
		[]string{"b.json: A", "c.json: A", "d/", "d/a.json: A", "d/g.json: A", "e ->", "f.json: A"}},
	{"a symbolic link to a file of a later layer", [][]entry{{{name: "configs/b.json", kind: tar.TypeSymlink, link: "a.json"}}, {{name: "configs/a.json", body: "2"}}},
		[]string{"a.json: 2", "b.json: 2"}},
	{"links to nothing and in a circle", [][]entry{{
		{name: "configs/a.json", kind: tar.TypeSymlink, link: "b.json"}, {name: "configs/b.json", kind: tar.TypeSymlink, link: "a.json"},
		{name: "configs/c.json", kind: tar.TypeSymlink, link: "missing/d.json"}}},
		[]string{"a.json ->", "b.json ->", "c.json ->"}},
	{"a link that leaves the folder is hidden", [][]entry{{{name: "configs/a.json", kind: tar.TypeSymlink, link: "/etc/passwd"}, {name: "configs/b.json", body: "B"}}, {{name: "configs/.wh.a.json"}}},
		[]string{"b.json: B"}},
	{"devices elsewhere", [][]entry{{{name: "dev/null", kind: tar.TypeChar}, {name: "run/pipe", kind: tar.TypeFifo}, {name: "configs/a.json", body: "A"}}},
		[]string{"a.json: A"}},
	{"links elsewhere", [][]entry{{{name: "bin", kind: tar.TypeSymlink, link: "../../usr/bin"}, {name: "configs/a.json", body: "A"}}},
		[]string{"a.json: A"}},
	{"the cache of opm", [][]entry{{
		{name: "configs/a.json", body: "A"}, {name: "configs/.cache/pogreb.v1/digest", body: "1"}, {name: "configs/.cache/pogreb.v1/db/main.pix", body: "x"},
		{name: "configs/c/digest", body: "1"}, {name: "configs/c/cache/packages.json", body: "[]"}, {name: "configs/c/cache/etcd_stable_etcd.v1.json", body: "{}"}}},
		[]string{".cache/", "a.json: A", "c/"}},
	{"a file called digest is not a cache", [][]entry{{{name: "configs/digest", body: "1"}, {name: "configs/cache/etcd.json", body: "E"}}},
		[]string{"cache/", "cache/etcd.json: E", "digest: 1"}},
	{"an empty file", [][]entry{{{name: "configs/a.json"}}}, []string{"a.json: "}},
	{"the folder was a link below", [][]entry{{{name: "configs", kind: tar.TypeSymlink, link: "srv"}}, {{name: "configs/"}, {name: "configs/a.json", body: "A"}}},
		[]string{"a.json: A"}},
}

// TestShapes: each image, in memory and through a store, and read from there
// again.
func TestShapes(t *testing.T) {
	for _, tt := range shapes {
		t.Run(tt.name, func(t *testing.T) {
			img := newImage()
			for i, l := range tt.layers {
				img.raw(t, tarOf(t, l...), [](func(testing.TB, []byte) ([]byte, string)){gzipped, zstded, plain}[i%3])
			}
			ref := layoutRef(img.finish(t).layout(t))
			require.Equal(t, tt.want, list(t, open(t, ref, image.Options{})))
			s := testkit.Must(image.OpenStore(t.TempDir(), image.StoreOptions{}))(t)
			require.Equal(t, tt.want, list(t, open(t, ref, image.Options{Store: s})))
			kept := open(t, ref, image.Options{Store: s})
			require.Equal(t, tt.want, list(t, kept))
			if len(tt.want) > 0 && !strings.Contains(strings.Join(tt.want, ""), "->") {
				var names []string
				for _, w := range tt.want {
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

// TestCacheOption: the folder that opm is told to keep its cache in is left out.
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

// TestRefusedLayers: what has no place in a layer is an error that says what
// and where.
func TestRefusedLayers(t *testing.T) {
	fine := entry{name: "configs/a.json", body: etcd}
	for name, tt := range map[string]struct {
		layer []entry
		says  string
	}{
		"up and out":               {[]entry{fine, {name: "../../etc/passwd", body: "x"}}, `leads out of the image`},
		"up inside":                {[]entry{fine, {name: "configs/../x", body: "x"}}, `leads out of the image`},
		"up in the folder":         {[]entry{fine, {name: "configs/../../x", body: "x"}}, `leads out of the image`},
		"absolute":                 {[]entry{fine, {name: "/etc/passwd", body: "x"}}, `is absolute`},
		"absolute in folder":       {[]entry{fine, {name: "/configs/b.json", body: "x"}}, `is absolute`},
		"character device":         {[]entry{fine, {name: "configs/null", kind: tar.TypeChar}}, "is a device"},
		"block device":             {[]entry{fine, {name: "configs/sda", kind: tar.TypeBlock}}, "is a device"},
		"pipe":                     {[]entry{fine, {name: "configs/pipe", kind: tar.TypeFifo}}, "is a named pipe"},
		"link out":                 {[]entry{fine, {name: "configs/b.json", kind: tar.TypeSymlink, link: "../etc/shadow"}}, "leads out of the catalog's folder /configs"},
		"absolute link out":        {[]entry{fine, {name: "configs/b.json", kind: tar.TypeSymlink, link: "/etc/shadow"}}, "leads out of the catalog's folder /configs"},
		"link out through link":    {[]entry{fine, {name: "configs/d/up", kind: tar.TypeSymlink, link: "../.."}, {name: "configs/b.json", kind: tar.TypeSymlink, link: "d/up/etc/x"}}, "leads out of the catalog's folder"},
		"link to the folder above": {[]entry{fine, {name: "configs/up", kind: tar.TypeSymlink, link: ".."}}, "leads out of the catalog's folder"},
		"link through elsewhere":   {[]entry{fine, {name: "configs/b.json", kind: tar.TypeSymlink, link: "../etc/../configs/a.json"}}, "leads out of the catalog's folder"},
		"hard link out":            {[]entry{{name: "etc/shadow", body: "x"}, fine, {name: "configs/b.json", kind: tar.TypeLink, link: "etc/shadow"}}, "which lies outside of the catalog's folder"},
		"hard link up":             {[]entry{fine, {name: "configs/b.json", kind: tar.TypeLink, link: "../etc/shadow"}}, "leads out of the image"},
		"hard link to nothing":     {[]entry{fine, {name: "configs/b.json", kind: tar.TypeLink, link: "configs/c.json"}}, "there is no such file"},
		"hard link to a folder":    {[]entry{fine, {name: "configs/d/"}, {name: "configs/b.json", kind: tar.TypeLink, link: "configs/d"}}, "there is no such file"},
		"below a link":             {[]entry{fine, {name: "configs/d/x.json", body: "x"}, {name: "configs/l", kind: tar.TypeSymlink, link: "d"}, {name: "configs/l/y.json", body: "y"}}, "below \"l\", which is a symbolic link"},
		"whiteout of nothing":      {[]entry{fine, {name: "configs/.wh."}}, "names no file"},
		"whiteout of .":            {[]entry{fine, {name: "configs/.wh.."}}, "names no file"},
		"whiteout of ..":           {[]entry{fine, {name: "configs/.wh..."}}, "names no file"},
		"not UTF-8":                {[]entry{fine, {name: "configs/\xff.json", body: "x"}}, "not UTF-8"},
		"too deep":                 {[]entry{fine, {name: "configs/" + strings.Repeat("d/", 300) + "x", body: "x"}}, "folders deep"},
		"too long":                 {[]entry{fine, {name: "configs/" + strings.Repeat("d", 5000), body: "x"}}, "more than 4096 bytes"},
		"folder is a link":         {[]entry{{name: "configs", kind: tar.TypeSymlink, link: "srv/configs"}, {name: "srv/configs/a.json", body: etcd}}, `/configs is a symbolic link to "srv/configs"`},
		"folder is a file":         {[]entry{{name: "configs", body: "x"}}, "/configs is not a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newImage().layer(t, entry{name: "etc/os-release", body: "x"}).layer(t, tt.layer...).finish(t).layout(t)
			err := fails(t, layoutRef(dir), image.Options{})
			refused := testkit.As[*image.ContentError](t, err)
			require.Equal(t, 2, refused.Layer)
			require.NotEmpty(t, refused.Entry)
			require.Contains(t, refused.Reason, tt.says)
			require.Contains(t, err.Error(), layoutRef(dir).String())
		})
	}
	t.Run("no folder", func(t *testing.T) {
		err := fails(t, layoutRef(newImage().layer(t, entry{name: "etc/x", body: "x"}).finish(t).layout(t)), image.Options{})
		require.ErrorContains(t, err, "there is no folder /configs in the image")
	})
	t.Run("hidden folder", func(t *testing.T) {
		err := fails(t, layoutRef(newImage().layer(t, fine).layer(t, entry{name: ".wh.configs"}).finish(t).layout(t)), image.Options{})
		require.ErrorContains(t, err, "there is no folder /configs in the image")
	})
}

// bomb returns a tar with a file of so many zeros, compressed with gzip, and
// its digest decompressed.
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

// TestLimits: each limit has an error that names it, and says where.
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
		"entries":        {image.Limits{MaxEntries: 50}, newImage().layer(t, many("usr/", 30)...).layer(t, many("usr/", 30)...), "MaxEntries", 2},
		"files":          {image.Limits{MaxFiles: 20}, newImage().layer(t, many("configs/", 30)...), "MaxFiles", 1},
		"folders":        {image.Limits{MaxFiles: 20}, newImage().layer(t, entry{name: "configs/" + strings.Repeat("d/", 30) + "x"}), "MaxFiles", 1},
		"file bytes":     {image.Limits{MaxFileBytes: 999}, newImage().layer(t, entry{name: "configs/a", body: strings.Repeat("x", 1000)}), "MaxFileBytes", 1},
		"all layers":     {image.Limits{MaxFileBytes: 1500}, newImage().layer(t, entry{name: "configs/a", body: strings.Repeat("x", 1000)}).layer(t, entry{name: "configs/a", body: strings.Repeat("y", 1000)}), "MaxFileBytes", 2},
		"links":          {image.Limits{MaxFileBytes: 5000}, newImage().layer(t, links...), "MaxFileBytes", 1},
		"bomb":           {image.Limits{MaxUnpackedBytes: 1 << 20}, newImage().raw(t, bomb(t, "usr/zeros", 2<<20), gzipped), "MaxUnpackedBytes", 1},
		"zstd bomb":      {image.Limits{MaxUnpackedBytes: 1 << 20}, newImage().raw(t, bomb(t, "usr/zeros", 2<<20), zstded), "MaxUnpackedBytes", 1},
		"behind the tar": {image.Limits{MaxUnpackedBytes: 1 << 20}, newImage().raw(t, append(tarOf(t, entry{name: "configs/a"}), make([]byte, 2<<20)...), gzipped), "MaxUnpackedBytes", 1},
		"bytes":          {image.Limits{MaxBytes: 100}, newImage().layer(t, many("configs/", 30)...), "MaxBytes", 1},
		"layers":         {image.Limits{MaxLayers: 2}, newImage().layer(t).layer(t).layer(t), "MaxLayers", 0},
		"manifest":       {image.Limits{MaxManifestBytes: 100}, newImage().layer(t), "MaxManifestBytes", 0},
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
	t.Run("sparse file without end", func(t *testing.T) {
		// A header of a few bytes says that the file has 2^60 bytes of holes.
		data := tarOf(t, entry{name: "configs/a.json", body: etcd})
		data = append(sparse(t, "configs/b.json"), data...)
		limit := testkit.As[*cache.LimitError](t, fails(t, layoutRef(newImage().raw(t, data, gzipped).finish(t).layout(t)), image.Options{}))
		require.Equal(t, "MaxFileBytes", limit.Limit)
	})
}

// sparse returns a sparse file of GNU tar, nearly all holes, without the end of
// an archive.
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
	require.NoError(t, err, "the header is not understood")
	require.EqualValues(t, size, got.Size)
	return h[:]
}

// TestMillionEntries: a layer with 10^6 entries ends with an error.
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

// TestCancel: a context that ends takes effect wherever the work is.
func TestCancel(t *testing.T) {
	size := testkit.Times[int64](64<<20, 256<<20)
	dir := newImage().raw(t, bomb(t, "usr/zeros", size), gzipped).layer(t, entry{name: "configs/a.json", body: etcd}).finish(t).layout(t)
	for _, after := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		_, err := image.Open(ctx, layoutRef(dir), image.Options{})
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "was stopped")
	}
}
