package fbc_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// drawText draws a few blobs of a few packages, some of them wrong.
func drawText(t *rapid.T) string {
	pkg := rapid.SampledFrom([]string{"etcd", "kafka", "argo"})
	var out []string
	for range rapid.IntRange(0, 5).Draw(t, "blobs") {
		p, n := pkg.Draw(t, "package"), rapid.IntRange(1, 3).Draw(t, "n")
		switch rapid.IntRange(0, 8).Draw(t, "kind") {
		case 0, 1:
			out = append(out, fmt.Sprintf(`{"schema":"olm.package","name":%q,"defaultChannel":"c%d"}`, p, n))
		case 2, 3:
			out = append(out, fmt.Sprintf(`{"schema":"olm.channel","package":%q,"name":"c%d","entries":[{"name":"%s.v%d"},{"name":"%s.v9","replaces":"%s.v%d"}]}`, p, n, p, n, p, p, n))
		case 4, 5, 6:
			out = append(out, fmt.Sprintf(`{"schema":"olm.bundle","package":%q,"name":"%s.v%d","properties":[{"type":"olm.package","value":{"packageName":%q,"version":"%d.0.0"}},`+
				`{"type":"olm.gvk","value":{"group":"g.example.com","version":"v%d","kind":"K"}},{"type":"olm.package.required","value":{"packageName":"etcd","versionRange":">=%d.0.0"}}]}`, p, p, n, p, n, n, n))
		case 7:
			out = append(out, fmt.Sprintf(`{"schema":"olm.deprecations","package":%q,"entries":[{"reference":{"schema":"olm.bundle","name":"%s.v%d"},"message":"old"}]}`, p, p, n))
		default:
			out = append(out, rapid.SampledFrom([]string{`{"schema":"other"}`, `{}`, `[1]`, `{"schema":"olm.bundle","name":"x"`, "", `{"schema":"olm.bundle","package":"etcd","name":"etcd.v1","properties":[{"type":"olm.gvk","value":1}]}`}).Draw(t, "odd"))
		}
	}
	return lines(out...)
}

// edit changes a disk at random.
func edit(t *rapid.T, d *disk) {
	file := rapid.SampledFrom([]string{"a.json", "b.yaml", "d/a.jsonl", "d/b.json", "d/e/c.json", "z.txt"}).Draw(t, "file")
	switch rapid.IntRange(0, 9).Draw(t, "edit") {
	case 0:
		d.remove(file)
	case 1:
		d.remove(rapid.SampledFrom([]string{"d", "d/e", ".indexignore", "d/.indexignore"}).Draw(t, "dir"))
	case 2:
		d.write(rapid.SampledFrom([]string{".indexignore", "d/.indexignore"}).Draw(t, "ignore"),
			rapid.SampledFrom([]string{"*.json\n", "z.txt\n", "[oops\n", "e/\n", ""}).Draw(t, "rules"))
	case 3:
		if f := d.files[file]; f != nil {
			d.write(file, string(f.Data)) // touched
		}
	case 4:
		if f := d.files[file]; f != nil {
			d.writeAt(file, string(f.Data), rapid.SampledFrom([]time.Time{{}, time.Unix(0, 0), time.Now(), time.Now().Add(time.Hour)}).Draw(t, "time"))
		}
	case 5:
		// The same time, which cannot be trusted, and perhaps the same size.
		if f := d.files[file]; f != nil && len(f.Data) > 0 && (f.ModTime.Unix() <= 0 || time.Since(f.ModTime) < time.Minute) {
			d.writeAt(file, strings.ReplaceAll(string(f.Data), "v1", "v2"), f.ModTime)
		}
	case 6:
		name := rapid.SampledFrom([]string{file, "d", "d/.indexignore"}).Draw(t, "broken")
		if f := d.files[name]; d.broken[name] == nil {
			d.broken[name] = errDisk
			if f != nil {
				d.write(name, string(f.Data)) // to take away a permission leaves a trace
			}
		} else {
			delete(d.broken, name)
		}
	default:
		d.write(file, drawText(t))
	}
}

// TestDirectoryEqualsLoad: after any sequence of changes, what is loaded from
// what was there before is what a fresh Load makes of the tree.
func TestDirectoryEqualsLoad(t *testing.T) {
	same, changed, failed := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := newDisk(map[string]string{"a.json": goodLines})
		opts := fbc.Options{Catalog: cache.Key{Namespace: "n", Name: "c"}, Parser: constraints.NewParser(), MaxProblems: 3}
		if rapid.Bool().Draw(t, "limits") {
			opts.MaxBlobs, opts.MaxTotalBytes = 12, 2500
		}
		source := fbc.Directory(d, opts)
		var last *cache.Content
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			for range rapid.IntRange(0, 3).Draw(t, "edits") {
				edit(t, d)
			}
			want, wantErr := fbc.Load(context.Background(), d, opts)
			got, err := source.Load(context.Background(), last)
			if wantErr != nil {
				failed++
				if limit := new(fbc.LimitError); errors.As(wantErr, &limit) { // of two, files read side by side may exceed either first
					require.ErrorAs(t, err, &limit)
					continue
				}
				require.EqualError(t, err, wantErr.Error())
				continue
			}
			require.NoError(t, err)
			require.Equal(t, dumpAll(want), dumpAll(got.Catalog))
			require.Equal(t, testkit.Must(fbc.Directory(d, opts).Load(context.Background(), nil))(t).Digest, got.Digest)
			if last != nil && got.Digest == last.Digest {
				require.Same(t, last, got)
				same++
			} else {
				require.NotSame(t, last, got)
				changed++
			}
			last = got
		}
	})
	require.Positive(t, same)
	require.Positive(t, changed)
	require.Positive(t, failed)
}

// threePackages is a tree of three packages in a directory each, and a file
// that has something to say about one of them.
func threePackages() map[string]string {
	return map[string]string{
		"a/catalog.json": strings.ReplaceAll(goodLines, "etcd", "argo"),
		"b/catalog.json": goodLines,
		"c/catalog.yaml": strings.ReplaceAll(goodYAML, "etcd", "kafka"),
		"d/more.json":    strings.NewReplacer("etcd", "kafka", "v1", "v0", "1.0.0", "0.1.0").Replace(bundleV1),
	}
}

// TestUnchangedIsNotUnderstood counts the files that are opened: once for the digest,
// and again only if that is another.
func TestUnchangedIsNotUnderstood(t *testing.T) {
	d := newDisk(threePackages())
	all := func(times int) map[string]int {
		return map[string]int{"a/catalog.json": times, "b/catalog.json": times, "c/catalog.yaml": times, "d/more.json": times}
	}
	var progress []fbc.Progress
	source := fbc.Directory(d, fbc.Options{Progress: func(p fbc.Progress) { progress = append(progress, p) }})
	one := mustLoad(t, source, nil)
	require.Equal(t, all(1), d.opens())
	require.Equal(t, 4, progress[len(progress)-1].FilesDone)
	progress = nil

	require.Same(t, one, mustLoad(t, source, one))
	require.Equal(t, all(1), d.opens(), "nothing changed")
	d.write("b/catalog.json", string(d.files["b/catalog.json"].Data))
	require.Same(t, one, mustLoad(t, source, one))
	require.Equal(t, all(1), d.opens(), "it was touched")
	require.Empty(t, progress, "nothing was read for a catalog")

	d.write("d/more.json", strings.Replace(string(d.files["d/more.json"].Data), "0.1.0", "0.2.0", 1))
	two := mustLoad(t, source, one)
	require.Equal(t, all(2), d.opens())
	require.Equal(t, 4, progress[len(progress)-1].Files)
	require.Equal(t, 4, progress[len(progress)-1].FilesDone)
	require.Equal(t, "0.2.0", two.Catalog.Package("kafka").Bundle("kafka.v0").Version.String())
	require.Equal(t, "0.1.0", one.Catalog.Package("kafka").Bundle("kafka.v0").Version.String())

	d.write("b/new.json", `{"schema":"other"}`)
	require.NotEqual(t, two.Digest, mustLoad(t, source, two).Digest)
	d.remove("b/new.json")
	require.Same(t, two, mustLoad(t, source, two))
}

// TestStampsThatCannotBeTrusted: files without a time, or with one that is too
// fresh to tell a later change, are looked into.
func TestStampsThatCannotBeTrusted(t *testing.T) {
	for name, at := range map[string]time.Time{"none": {}, "epoch": time.Unix(0, 0), "one second": time.Unix(1, 0), "fresh": time.Now(), "future": time.Now().Add(time.Hour)} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(threePackages())
			d.writeAt("b/catalog.json", goodLines, at)
			source := fbc.Directory(d, fbc.Options{})
			one := mustLoad(t, source, nil)
			require.Equal(t, 2, d.opens()["b/catalog.json"], "it may have changed while it was read")
			require.Same(t, one, mustLoad(t, source, one))
			d.writeAt("b/catalog.json", strings.Replace(goodLines, "2.0.0", "2.5.0", 1), at)
			two := mustLoad(t, source, one)
			require.Equal(t, "2.5.0", two.Catalog.Package("etcd").Bundle("etcd.v2").Version.String())
		})
	}
}

// versioned is two files that only make sense together.
func versioned(version int) (a, b string) {
	of := strings.NewReplacer("2.0.0", fmt.Sprintf("%d.0.0", version), "i2", fmt.Sprintf("i%d", version))
	return lines(packageBlob, channelBlob, bundleV1, of.Replace(bundleV2)), of.Replace(strings.ReplaceAll(goodLines, "etcd", "kafka"))
}

// TestChangesWhileReading: both files are rewritten when one of them was read,
// so the first attempt would mix two versions.
func TestChangesWhileReading(t *testing.T) {
	trusted := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		at   func(version int) time.Time // the time of modification of a version
	}{
		{"time tells", func(v int) time.Time { return trusted.Add(time.Duration(v) * time.Second) }},
		{"only content tells", func(int) time.Time { return time.Time{} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDisk(nil)
			write := func(version int) {
				a, b := versioned(version)
				d.writeAt("a.json", a, tt.at(version))
				d.writeAt("b.json", b, tt.at(version))
			}
			write(3)
			source := fbc.Directory(d, fbc.Options{Parallel: 1})
			one := mustLoad(t, source, nil)
			requireVersion(t, one, 3)
			write(4)
			left := 2
			d.onOpen = func(name string) {
				if name == "b.json" && left > 0 {
					left--
					write(6 - left)
				}
			}
			two := mustLoad(t, source, one)
			requireVersion(t, two, 6)

			write(7)
			next := 7
			d.onOpen = func(name string) {
				if name == "b.json" {
					next++
					write(next)
				}
			}
			_, err := source.Load(context.Background(), two)
			changing := testkit.As[*fbc.ChangingError](t, err)
			require.Equal(t, 5, changing.Attempts)
			require.Contains(t, []string{"a.json", "b.json"}, changing.Name)
			require.ErrorContains(t, err, "changed while it was read")

			_, err = source.Load(context.Background(), nil)
			require.ErrorAs(t, err, &changing)
			d.onOpen = nil
			write(99)
			requireVersion(t, mustLoad(t, source, two), 99)
		})
	}
}

// requireVersion holds both packages to one version.
func requireVersion(t *testing.T, c *cache.Content, version int) {
	want := fmt.Sprintf("%d.0.0", version)
	require.Equal(t, want, c.Catalog.Package("etcd").Bundle("etcd.v2").Version.String())
	require.Equal(t, want, c.Catalog.Package("kafka").Bundle("kafka.v2").Version.String())
}

// TestTruncatedWhileReading: a file that is being rewritten in place is read
// again when it is whole.
func TestTruncatedWhileReading(t *testing.T) {
	d := newDisk(threePackages())
	times := 0
	d.onOpen = func(name string) {
		if name != "b/catalog.json" {
			return
		}
		if times++; times == 1 {
			d.write(name, goodLines[:len(goodLines)/2])
		} else if times == 2 {
			d.write(name, goodLines)
		}
	}
	c := mustLoad(t, fbc.Directory(d, fbc.Options{Parallel: 1}), nil)
	require.Empty(t, c.Catalog.Problems()[1:]) // but for the bundle that is in no channel
	require.Equal(t, graph.Code("bundleUnlisted"), c.Catalog.Problems()[0].Code)
	require.Len(t, c.Catalog.InPackage("etcd"), 2)
}

// TestDisappears: a directory that goes while it is read is gone, not half
// there.
func TestDisappears(t *testing.T) {
	gone := func(what ...string) *disk {
		d := newDisk(threePackages())
		d.onOpen = func(name string) {
			if name == "b/catalog.json" {
				for _, w := range what {
					d.remove(w)
				}
			}
		}
		return d
	}
	c := mustLoad(t, fbc.Directory(gone("b", "c", "d"), fbc.Options{Parallel: 1}), nil)
	require.Equal(t, []string{"argo.v2", "argo.v1"}, bundleNames(c.Catalog))
	require.Empty(t, c.Catalog.Problems())

	_, err := fbc.Directory(gone("a", "b", "c", "d"), fbc.Options{Parallel: 1}).Load(context.Background(), nil)
	testkit.As[*fbc.UnreadableError](t, err)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestReadErrorsAreNotRemembered: what could not be read is tried again,
// though its stamp is the same.
func TestReadErrorsAreNotRemembered(t *testing.T) {
	d := newDisk(threePackages())
	d.broken["b/catalog.json"] = errDisk
	source := fbc.Directory(d, fbc.Options{})
	one := mustLoad(t, source, nil)
	require.Nil(t, one.Catalog.Package("etcd"))
	require.Same(t, one, mustLoad(t, source, one), "the same error")
	delete(d.broken, "b/catalog.json")
	require.NotNil(t, mustLoad(t, source, one).Catalog.Package("etcd"))
}

// failing fails in the middle of a file.
type failing struct {
	*disk
	name string
}

type failingFile struct {
	fs.File
	read int
}

func (f failing) Open(name string) (fs.File, error) {
	file, err := f.disk.Open(name)
	if name == f.name && err == nil {
		return &failingFile{File: file}, nil
	}
	return file, err
}

func (f *failingFile) Read(p []byte) (int, error) {
	if f.read > 300 {
		return 0, errDisk
	}
	n, err := f.File.Read(p[:min(len(p), 300)])
	f.read += n
	return n, err
}

func TestReadErrorInTheMiddle(t *testing.T) {
	d := newDisk(threePackages())
	f := failing{d, "b/catalog.json"}
	source := fbc.Directory(&f, fbc.Options{})
	one := mustLoad(t, source, nil)
	require.Equal(t, dumpAll(testkit.Must(fbc.Load(context.Background(), &f, fbc.Options{}))(t)), dumpAll(one.Catalog))
	require.Contains(t, strings.Join(found(one.Catalog), "\n"), "unreadable")
	f.name = ""
	two := mustLoad(t, source, one)
	require.NotContains(t, strings.Join(found(two.Catalog), "\n"), "unreadable")
	require.Len(t, two.Catalog.InPackage("etcd"), 2)
}

func TestFileSource(t *testing.T) {
	ctx := context.Background()
	d := newDisk(map[string]string{"catalog": goodLines})
	source := fbc.Directory(d, fbc.Options{File: "catalog"})
	one := mustLoad(t, source, nil)
	require.Equal(t, dumpAll(testkit.Must(fbc.Load(ctx, d, fbc.Options{File: "catalog"}))(t)), dumpAll(one.Catalog))
	require.Same(t, one, mustLoad(t, source, one))

	d.write("catalog", goodLines+strings.ReplaceAll(goodLines, "etcd", "kafka"))
	two := mustLoad(t, source, one)
	require.NotNil(t, two.Catalog.Package("kafka"))

	d.remove("catalog")
	d.write("other", "")
	_, err := source.Load(ctx, two)
	_, wantErr := fbc.Load(ctx, d, fbc.Options{File: "catalog"})
	require.EqualError(t, err, wantErr.Error())
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = fbc.Directory(d, fbc.Options{File: "other"}).Load(ctx, nil)
	_, wantErr = fbc.Load(ctx, d, fbc.Options{File: "other"})
	require.EqualError(t, err, wantErr.Error())
}

// TestStrictSource: problems fail the load, each time.
func TestStrictSource(t *testing.T) {
	d := newDisk(map[string]string{"a.json": goodLines})
	source := fbc.Directory(d, fbc.Options{Strict: true})
	one := mustLoad(t, source, nil)
	d.write("b.json", "{}")
	for range 2 {
		_, err := source.Load(context.Background(), one)
		testkit.As[*fbc.ProblemsError](t, err)
	}
	d.remove("b.json")
	require.Same(t, one, mustLoad(t, source, one))
}

// TestRestored: a content may come from an earlier process.
func TestRestored(t *testing.T) {
	d := newDisk(threePackages())
	one := mustLoad(t, fbc.Directory(d, fbc.Options{}), nil)
	source := fbc.Directory(d, fbc.Options{})
	restored := &cache.Content{Catalog: one.Catalog, Digest: one.Digest}
	d.opens()
	require.Same(t, restored, mustLoad(t, source, restored))
	require.Equal(t, map[string]int{"a/catalog.json": 1, "b/catalog.json": 1, "c/catalog.yaml": 1, "d/more.json": 1}, d.opens(), "read once, to compare")
	d.write("d/more.json", string(d.files["d/more.json"].Data)+"\n{}")
	require.NotEqual(t, one.Digest, mustLoad(t, source, restored).Digest)
	require.Same(t, restored, mustLoad(t, fbc.Directory(newDisk(threePackages()), fbc.Options{}), restored))
	require.NotSame(t, restored, mustLoad(t, fbc.Directory(newDisk(threePackages()), fbc.Options{DropProperties: []string{"x"}}), restored), "other options keep something else")
}

// TestDigest: it depends on paths, contents, and the kept properties.
func TestDigest(t *testing.T) {
	digest := func(files map[string]string, opts fbc.Options) string {
		return mustLoad(t, fbc.Directory(newDisk(files), opts), nil).Digest
	}
	base := digest(threePackages(), fbc.Options{})
	require.Equal(t, base, digest(threePackages(), fbc.Options{Parallel: 1, MaxBlobs: 100, MaxProblems: 1000}))
	later := newDisk(nil)
	for name, text := range threePackages() {
		later.write(name, text)
	}
	require.Equal(t, base, mustLoad(t, fbc.Directory(later, fbc.Options{}), nil).Digest, "times play no part")

	with := func(name, text string) map[string]string {
		files := threePackages()
		files[name] = text
		return files
	}
	moved := threePackages()
	moved["e/more.json"] = moved["d/more.json"]
	delete(moved, "d/more.json")
	digests := map[string]string{base: "base"}
	for name, d := range map[string]string{
		"content": digest(with("b/catalog.json", goodLines+"\n"), fbc.Options{}),
		"name":    digest(moved, fbc.Options{}),
		"empty":   digest(with("e.json", ""), fbc.Options{}),
		"skipped": digest(with("e.txt", ""), fbc.Options{}),
		"pattern": digest(with(".indexignore", "[x"), fbc.Options{}),
		"ignored": digest(with(".indexignore", "d/"), fbc.Options{}),
		"key":     digest(threePackages(), fbc.Options{Catalog: cache.Key{Namespace: "a", Name: "b"}}),
		"dropped": digest(threePackages(), fbc.Options{DropProperties: []string{"olm.gvk"}}),
		"limit":   digest(threePackages(), fbc.Options{MaxDepth: 100}),
	} {
		require.NotContains(t, digests, d, name)
		digests[d] = name
	}
	require.Equal(t, base, digest(with("README.md", "x"), fbc.Options{}), "what is not read")
}

// TestDirectoryOnDisk uses the file system of the machine.
func TestDirectoryOnDisk(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, threePackages())
	source := fbc.Directory(os.DirFS(dir), fbc.Options{})
	one := mustLoad(t, source, nil)
	require.Same(t, one, mustLoad(t, source, one))
	// A change that keeps size and time.
	name := filepath.Join(dir, "b/catalog.json")
	info := testkit.Must(os.Stat(name))(t)
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(goodLines, "2.0.0", "2.5.0", 1)), 0o600))
	require.NoError(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
	two := mustLoad(t, source, one)
	require.Equal(t, "2.5.0", two.Catalog.Package("etcd").Bundle("etcd.v2").Version.String())
	require.NoError(t, os.RemoveAll(dir))
	_, err := source.Load(context.Background(), two)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestSourceStops: a context that ends ends the load.
func TestSourceStops(t *testing.T) {
	d := newDisk(threePackages())
	one := mustLoad(t, fbc.Directory(d, fbc.Options{}), nil)
	ctx, cancel := context.WithCancel(context.Background())
	d.onOpen = func(string) { cancel() }
	for _, last := range []*cache.Content{nil, one} {
		_, err := fbc.Directory(d, fbc.Options{}).Load(ctx, last)
		require.ErrorIs(t, err, context.Canceled)
	}
	_, err := fbc.Directory(d, fbc.Options{File: "b/catalog.json"}).Load(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// TestConcurrentLoads: one source serves many at once.
func TestConcurrentLoads(t *testing.T) {
	d := newDisk(threePackages())
	source := fbc.Directory(d, fbc.Options{})
	one := mustLoad(t, source, nil)
	d.write("b/catalog.json", strings.Replace(goodLines, "2.0.0", "2.5.0", 1))
	digests := make(chan string, 8)
	for range cap(digests) {
		go func() {
			c, err := source.Load(context.Background(), one)
			if err != nil {
				digests <- err.Error()
				return
			}
			digests <- c.Digest
		}()
	}
	all := map[string]int{}
	for range cap(digests) {
		all[<-digests]++
	}
	require.Equal(t, []int{8}, slices.Collect(maps.Values(all)))
}

// TestClockJumps: whatever the clock of the machine was set to when a file was
// written, a load has what is in the file.
func TestClockJumps(t *testing.T) {
	base := time.Now().Add(-24 * time.Hour)
	for name, jumps := range map[string][]time.Duration{
		"ahead": {0, time.Hour, 100 * 24 * time.Hour}, "back": {time.Hour, 0, -1000 * time.Hour}, "to and fro": {0, 48 * time.Hour, 0, 48 * time.Hour},
		"stands still, ahead": {100 * 24 * time.Hour, 100 * 24 * time.Hour}, "stands still before 1970": {-100 * 365 * 24 * time.Hour, -100 * 365 * 24 * time.Hour},
		"before 1970": {-100 * 365 * 24 * time.Hour, 0, -100 * 365 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(threePackages())
			source := fbc.Directory(d, fbc.Options{})
			var last *cache.Content
			for i, jump := range jumps {
				version := fmt.Sprintf("2.%d.0", i+5) // of the same length
				d.writeAt("b/catalog.json", strings.Replace(goodLines, "2.0.0", version, 1), base.Add(jump))
				last = mustLoad(t, source, last)
				require.Equal(t, version, last.Catalog.Package("etcd").Bundle("etcd.v2").Version.String())
				require.Same(t, last, mustLoad(t, source, last))
			}
		})
	}
}
