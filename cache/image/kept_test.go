package image

import (
	"context"
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/internal/file"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// ofImage is the digest of an image.
var ofImage = "sha256:" + strings.Repeat("ab", 32)

// keep stores a text.
func keep(t *testing.T, s *Store, temporary *file.File, digest, text string) {
	_, err := io.WriteString(temporary, text)
	require.NoError(t, err)
	hash := sha256.New()
	hash.Write([]byte(text))
	require.NoError(t, s.commit(temporary, digest, hash.Sum(nil)))
	require.NoError(t, temporary.Close())
}

// digests returns the digests of the stored images.
func digests(t *testing.T, s *Store) (all []string) {
	kept := testkit.Must(s.List())(t)
	for _, k := range kept {
		all = append(all, k.Digest)
	}
	return all
}

// TestLocks: files being written stay, abandoned ones are removed.
func TestLocks(t *testing.T) {
	dir := t.TempDir()
	mine := testkit.Must(OpenStore(dir, StoreOptions{MaxBytes: -1}))(t)
	other := testkit.Must(OpenStore(dir, StoreOptions{MaxBytes: -1}))(t)
	writing := testkit.Must(mine.temporary())(t)
	left := filepath.Join(dir, ".writing-1.tmp")
	require.NoError(t, os.WriteFile(left, []byte("x"), 0o600))
	strange := filepath.Join(dir, ".writing-mine")
	require.NoError(t, os.WriteFile(strange, []byte("x"), 0o600))
	second := testkit.Must(other.temporary())(t)
	require.NoError(t, other.Clear())
	require.FileExists(t, writing.Name())
	require.FileExists(t, strange)
	require.NoFileExists(t, left)
	keep(t, mine, writing, ofImage, "text")
	require.NoError(t, second.Close())
	require.NoFileExists(t, second.Name())
	require.Equal(t, []string{ofImage}, digests(t, other))
}

// TestOpenEvicts: OpenStore evicts what a killed writer left over the limit, and keeps the most
// recently used image.
func TestOpenEvicts(t *testing.T) {
	dir := t.TempDir()
	large := testkit.Must(OpenStore(dir, StoreOptions{MaxBytes: -1}))(t)
	for i, digit := range []string{"a", "b", "c"} {
		temporary := testkit.Must(large.temporary())(t)
		keep(t, large, temporary, "sha256:"+strings.Repeat(digit, 64), "text")
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		kept := testkit.Must(large.List())(t)
		require.NoError(t, os.Chtimes(kept[0].path, at, at))
	}
	small := testkit.Must(OpenStore(dir, StoreOptions{MaxBytes: 8}))(t)
	kept := testkit.Must(small.List())(t)
	require.Len(t, kept, 2)
	require.Equal(t, "sha256:"+strings.Repeat("c", 64), kept[0].Digest)
	require.Equal(t, "sha256:"+strings.Repeat("b", 64), kept[1].Digest)
}

// TestNames: files with other names are ignored.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	s := testkit.Must(OpenStore(dir, StoreOptions{MaxBytes: -1}))(t)
	sum := strings.Repeat("0", 64)
	for _, name := range []string{"x.catalog", "sha256-ab.catalog", "sha256-ab." + sum + ".tar", "sha256-XY." + sum + ".catalog", "sha256-ab." + sum[:60] + ".catalog", "-ab." + sum + ".catalog", "sha256ab." + sum + ".catalog"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sha256-ab."+sum+".catalog"), 0o700))
	require.Empty(t, testkit.Must(s.List())(t))
	_, err := s.open(context.Background(), ofImage)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestClock: a clock that jumps back changes the order of eviction and nothing else.
func TestClock(t *testing.T) {
	s := testkit.Must(OpenStore(t.TempDir(), StoreOptions{MaxBytes: 9}))(t)
	for i, text := range []string{"one", "two", "six", "ten"} {
		w := testkit.Must(s.temporary())(t)
		keep(t, s, w, strings.Replace(ofImage, ":a", ":"+string("0123"[i]), 1), text)
		kept := testkit.Must(s.List())(t)
		for _, k := range kept {
			ahead := time.Now().Add(time.Duration(1000-i) * time.Hour)
			require.NoError(t, os.Chtimes(k.path, ahead, ahead))
		}
	}
	kept := testkit.Must(s.List())(t)
	require.Len(t, kept, 3)
	require.Contains(t, digests(t, s), strings.Replace(ofImage, ":a", ":3", 1), "the image stored last stays, whatever its time")
}

// TestTags: records of references.
func TestTags(t *testing.T) {
	dir := t.TempDir()
	s := testkit.Must(OpenStore(dir, StoreOptions{MaxBytes: -1}))(t)
	require.Empty(t, s.tag("a"))
	require.NoError(t, s.setTag(tag{Name: "a", Digest: ofImage}))
	require.NoError(t, s.setTag(tag{Name: "b", Digest: "sha256:cd"}))
	require.Equal(t, ofImage, s.tag("a"))
	w := testkit.Must(s.temporary())(t)
	keep(t, s, w, ofImage, "text")
	_, err := s.Remove("sha256:none") // records of missing images are removed
	require.NoError(t, err)
	all := testkit.Must(s.tags())(t)
	require.Len(t, all, 1)
	require.Equal(t, tag{Name: "a", Digest: ofImage}, all[s.tagPath("a")])
}
