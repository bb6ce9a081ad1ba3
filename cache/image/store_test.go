package image_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// numbered returns a distinct image for each number, with a catalog of size random bytes.
func numbered(t testing.TB, n, size int) *built {
	rnd := rand.New(rand.NewPCG(uint64(n), 1))
	text := make([]byte, size)
	for i := range text {
		text[i] = byte(rnd.Uint32())
	}
	return newImage().layer(t, entry{name: "configs/etcd.json", body: etcd}, entry{name: "configs/noise", body: string(text)}).finish(t)
}

// openStore opens a store in a directory.
func openStore(t testing.TB, dir string, maxBytes int64) *image.Store {
	return testkit.Must(image.OpenStore(dir, image.StoreOptions{MaxBytes: maxBytes}))(t)
}

// TestStoreBound: the least recently used image is evicted first.
func TestStoreBound(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, 50_000)
	var refs []image.Reference
	var digests []string
	for i := range 4 {
		img := numbered(t, i, 15_000)
		refs, digests = append(refs, layoutRef(img.layout(t))), append(digests, img.top)
	}
	for _, i := range []int{0, 1, 2, 0, 3} { // 1 is the least recently used
		open(t, refs[i], image.Options{Store: s})
		time.Sleep(20 * time.Millisecond)
	}
	kept := testkit.Must(s.List())(t)
	require.Len(t, kept, 3)
	var total int64
	for i, want := range []int{3, 0, 2} {
		require.Equal(t, digests[want], kept[i].Digest)
		require.Equal(t, []string{refs[want].String()}, kept[i].References)
		require.WithinDuration(t, time.Now(), kept[i].Used, time.Minute)
		total += kept[i].Bytes
	}
	require.LessOrEqual(t, total, int64(50_000))

	// An image larger than the store is read but not stored.
	require.Len(t, list(t, open(t, layoutRef(numbered(t, 9, 60_000).layout(t)), image.Options{Store: s})), 2)
	kept = testkit.Must(s.List())(t)
	require.Len(t, kept, 3)

	found := testkit.Must(s.Remove(digests[0]))(t)
	require.True(t, found)
	found = testkit.Must(s.Remove(digests[0]))(t)
	require.False(t, found)
	f := open(t, refs[2], image.Options{Store: s})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("x"), 0o644))
	require.NoError(t, s.Clear())
	kept = testkit.Must(s.List())(t)
	require.Empty(t, kept)
	require.Len(t, list(t, f), 2, "open files stay readable")
	require.FileExists(t, filepath.Join(dir, "mine.txt"))
	require.NoError(t, os.Remove(filepath.Join(dir, "mine.txt")))
	require.NoError(t, f.Close())
	requireEmpty(t, dir)
}

// TestTwoWriters: files being written by another process are not removed.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, good(t))
	begun, goOn := make(chan struct{}), make(chan struct{})
	r.before = func(_ http.ResponseWriter, req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, r.img.layers[0]["digest"].(string)) {
			close(begun)
			<-goOn
		}
		return false
	}
	done := make(chan error)
	go func() {
		f, err := image.Open(context.Background(), r.ref(), image.Options{Store: openStore(t, dir, 0)})
		if err == nil {
			err = f.Close()
		}
		done <- err
	}()
	<-begun
	other := openStore(t, dir, 0)
	open(t, layoutRef(numbered(t, 1, 1000).layout(t)), image.Options{Store: other})
	require.NoError(t, other.Clear())
	close(goOn)
	require.NoError(t, <-done)
	kept := testkit.Must(other.List())(t)
	require.Len(t, kept, 1)
	require.Equal(t, r.img.top, kept[0].Digest)
}

// keptFile returns the only file of a store.
func keptFile(t testing.TB, dir string) string {
	names := testkit.Must(filepath.Glob(filepath.Join(dir, "*.catalog")))(t)
	require.Len(t, names, 1)
	return names[0]
}

// TestStoreDamage: a copy damaged at any position is fetched again.
func TestStoreDamage(t *testing.T) {
	r := serve(t, good(t))
	ref := parsed(r.host() + "/ns/catalog@" + r.img.top)
	dir := t.TempDir()
	s := openStore(t, dir, 0)
	var log bytes.Buffer
	opts := image.Options{Store: s, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	want := list(t, open(t, ref, opts))
	name := keptFile(t, dir)
	data := testkit.Must(os.ReadFile(name))(t)
	r.requested()
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 1 << (i % 8)
		require.NoError(t, os.WriteFile(name, damaged, 0o600))
		require.Equal(t, want, list(t, open(t, ref, opts)))
		require.Len(t, r.requested(), 4, "byte %d", i)
	}
	for _, n := range []int{0, 1, len(data) / 2, len(data) - 1} {
		require.NoError(t, os.WriteFile(name, data[:n], 0o600))
		require.Equal(t, want, list(t, open(t, ref, opts)))
		require.Len(t, r.requested(), 4)
	}
	require.Contains(t, log.String(), "corrupt")
	require.Equal(t, want, list(t, open(t, ref, opts)))
	require.Empty(t, r.requested())

	// The same for the records of references.
	tags := testkit.Must(filepath.Glob(filepath.Join(dir, "names", "*")))(t)
	for _, tag := range tags {
		require.NoError(t, os.WriteFile(tag, []byte("{"), 0o600))
	}
	open(t, r.ref(), opts)
	_, err := s.List()
	require.NoError(t, err)
}

// TestStoreWritable: an image is read even if the store cannot be written.
func TestStoreWritable(t *testing.T) {
	ref := layoutRef(numbered(t, 1, 3<<20).layout(t))
	read := func(t *testing.T, dir string) string {
		s := testkit.Must(image.OpenStore(dir, image.StoreOptions{}))(t)
		var log bytes.Buffer
		f := open(t, ref, image.Options{Store: s, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.Len(t, list(t, f), 2)
		require.NoError(t, f.Close())
		return log.String()
	}
	t.Run("file instead of the directory", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "x")
		require.NoError(t, os.WriteFile(name, nil, 0o644))
		_, err := image.OpenStore(name, image.StoreOptions{})
		testkit.As[*image.StoreError](t, err)
		require.ErrorContains(t, err, name)
	})
	t.Run("removed", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "store")
		s := openStore(t, dir, 0)
		require.NoError(t, os.RemoveAll(dir))
		require.Len(t, list(t, open(t, ref, image.Options{Store: s})), 2)
	})
	for name, size := range map[string]string{"full at once": "64k", "full in the middle": "2m"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).CombinedOutput(); err != nil {
				t.Skipf("cannot create a small disk: %s", out)
			}
			defer func() { require.NoError(t, exec.Command("umount", dir).Run()) }()
			require.Contains(t, read(t, dir), "image is not stored")
			require.Len(t, testkit.Must(os.ReadDir(dir))(t), 1, "only the directory of references")
		})
	}
}

// Environment variables.
const (
	keeperVariable = "RESOLUTE_IMAGE_KEEPER" // runs the test binary as a process that stores images
	killsVariable  = "RESOLUTE_KILLS"        // number of processes to kill
)

// keepForever stores the images of layouts until the process is killed.
func keepForever(args string) {
	dirs := strings.Split(args, "|")
	s, err := image.OpenStore(dirs[0], image.StoreOptions{MaxBytes: 400_000})
	if err != nil {
		panic(err)
	}
	fmt.Println("begins")
	for i := 0; ; i++ {
		f, err := image.Open(context.Background(), parsed("oci:"+dirs[1+i%(len(dirs)-1)]), image.Options{Store: s})
		if err != nil {
			panic(err)
		}
		f.Close()
	}
}

// TestKilled: processes killed at any moment leave neither invalid catalogs nor permanent
// files. Two of them run at a time.
func TestKilled(t *testing.T) {
	kills := 12
	if n, err := fmt.Sscan(os.Getenv(killsVariable), &kills); n > 0 {
		require.NoError(t, err)
	}
	dir := t.TempDir()
	args := []string{dir}
	wants := map[string][]string{}
	for i := range 5 {
		layout := numbered(t, i, 100_000).layout(t)
		args = append(args, layout)
		wants[layout] = list(t, open(t, layoutRef(layout), image.Options{}))
	}
	for i := range kills {
		var running []*exec.Cmd
		for range 2 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), keeperVariable+"="+strings.Join(args, "|"))
			out := testkit.Must(cmd.StdoutPipe())(t)
			require.NoError(t, cmd.Start())
			running = append(running, cmd)
			_, err := out.Read(make([]byte, 10))
			require.NoError(t, err)
		}
		time.Sleep(time.Duration(rand.N(20_000_000+i*2_000_000)) * time.Nanosecond)
		for _, cmd := range running {
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
		}
		s := openStore(t, dir, 400_000)
		for layout, want := range wants {
			f := open(t, layoutRef(layout), image.Options{Store: s})
			require.Equal(t, want, list(t, f))
			f.Close()
		}
		require.Empty(t, testkit.Must(filepath.Glob(filepath.Join(dir, ".*")))(t))
		kept := testkit.Must(s.List())(t)
		total := int64(0)
		for _, k := range kept {
			total += k.Bytes
		}
		require.LessOrEqual(t, total, int64(400_000))
	}
}
