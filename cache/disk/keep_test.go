package disk_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// server is a source that a test controls. It loads like a source with conditional requests.
type server struct {
	now      *cache.Content
	err      error
	requests []string // validators of the requests
}

func (s *server) Load(_ context.Context, last *cache.Content) (*cache.Content, error) {
	validator := "nothing"
	if last != nil {
		validator = last.Validator
	}
	s.requests = append(s.requests, validator)
	switch {
	case s.err != nil:
		return nil, s.err
	case validator == s.now.Validator:
		return last, nil
	}
	return s.now, nil
}

// kept is a server behind Keep, and the logged events of its file.
type kept struct {
	*server
	cache.Source
	dir, path string
	events    []event
	log       bytes.Buffer
}

// event is a logged event of a file.
type event struct {
	action, digest string
	err            error
}

// listener records log messages and passes them on.
type listener struct {
	slog.Handler
	*kept
}

func (l listener) Handle(ctx context.Context, r slog.Record) error {
	e := event{action: "write"}
	if strings.Contains(r.Message, "read from its copy") || strings.Contains(r.Message, "ignoring the copy") {
		e.action = "read"
	}
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "digest":
			e.digest = a.Value.String()
		case "error":
			e.err = a.Value.Any().(error)
		case "path":
			if a.Value.String() != l.path {
				e.action += " of another file"
			}
		}
		return true
	})
	l.events = append(l.events, e)
	return l.Handler.Handle(ctx, r)
}

// keep wraps a server with a copy in a directory.
func keep(t *testing.T, s *server, dir string, opts disk.Options) *kept {
	k := &kept{server: s, dir: dir, path: filepath.Join(dir, "copy")}
	opts.Logger = slog.New(listener{slog.NewTextHandler(&k.log, &slog.HandlerOptions{Level: slog.LevelDebug}), k})
	k.Source = disk.Keep(s, k.path, opts)
	return k
}

// Load loads from the wrapping source.
func (k *kept) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	return k.Source.Load(ctx, last)
}

// takeEvents returns the events since the last call, in short form.
func (k *kept) takeEvents() []string {
	var out []string
	for _, e := range k.events {
		text := e.action + " " + e.digest
		if e.err != nil {
			text = e.action + " failed"
		}
		out = append(out, text)
	}
	k.events = nil
	return out
}

// warm returns the content before the first load.
func (k *kept) warm(t *testing.T) *cache.Content {
	return testkit.Must(k.Source.(cache.Warmer).Warm(context.Background()))(t)
}

// TestKeep: a restarted process serves the catalog of the previous one, and its request is
// conditional.
func TestKeep(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s := &server{now: content(t, "sha256:1")}
	k := keep(t, s, dir, disk.Options{})
	require.Nil(t, k.warm(t))
	require.Empty(t, k.takeEvents(), "a missing copy is not reported")
	first := testkit.Must(k.Load(ctx, nil))(t)
	require.Same(t, s.now, first)
	require.Same(t, first, testkit.Must(k.Load(ctx, first))(t))
	require.Equal(t, []string{"write sha256:1"}, k.takeEvents(), "an unchanged content is not written again")

	k = keep(t, s, dir, disk.Options{}) // a new process
	warm := k.warm(t)
	require.Equal(t, "sha256:1", warm.Digest)
	require.Equal(t, s.now.Validator, warm.Validator)
	requireSame(t, s.now.Catalog, warm.Catalog)
	same := testkit.Must(k.Load(ctx, warm))(t)
	require.Same(t, warm, same)
	require.Equal(t, []string{"read sha256:1"}, k.takeEvents())
	require.Equal(t, []string{"nothing", "validator of sha256:1", "validator of sha256:1"}, s.requests)

	s.now = content(t, "sha256:2")
	second := testkit.Must(k.Load(ctx, same))(t)
	require.Same(t, s.now, second)
	require.Equal(t, []string{"write sha256:2"}, k.takeEvents())

	// The source changed the validator of the same content: it is written again.
	renamed := *s.now
	renamed.Validator = "other"
	s.now = &renamed
	_, err := k.Load(ctx, second)
	require.NoError(t, err)
	require.Equal(t, []string{"write sha256:2"}, k.takeEvents())
	require.Equal(t, "other", keep(t, s, dir, disk.Options{}).warm(t).Validator)
}

// TestKeepDamaged: an unusable copy counts as missing, and is replaced after the next load.
func TestKeepDamaged(t *testing.T) {
	lines := disk.Lines(encoded(t, content(t, "sha256:0")))
	for want, file := range map[string][]byte{"not a copy": []byte("hello"), "another build": sealAs(lines, 1, "other"), ", not of": disk.Seal(lines)} {
		s := &server{now: content(t, "sha256:1")}
		k := keep(t, s, t.TempDir(), disk.Options{Origin: "https://here.example"})
		require.NoError(t, os.WriteFile(k.path, file, 0o600))
		require.Nil(t, k.warm(t))
		require.Len(t, k.events, 1)
		require.Contains(t, testkit.As[*disk.CopyError](t, k.events[0].err).Reason, want)
		require.Contains(t, k.log.String(), "level=WARN")
		require.Contains(t, k.log.String(), "will be rewritten")
		require.Same(t, s.now, testkit.Must(k.Load(context.Background(), nil))(t))
		require.Equal(t, []string{"read failed", "write sha256:1"}, k.takeEvents())
		require.Equal(t, "sha256:1", k.warm(t).Digest)
	}
}

// TestKeepOnFullDisk: a full disk does not prevent a load, and the copy is written as soon as
// there is space.
func TestKeepOnFullDisk(t *testing.T) {
	ctx := context.Background()
	s := &server{now: content(t, "sha256:old")}
	k := keep(t, s, smallDisk(t), disk.Options{})
	old := testkit.Must(k.Load(ctx, nil))(t)
	ballast := filepath.Join(k.dir, "ballast")
	require.True(t, isFull(os.WriteFile(ballast, make([]byte, 1<<20), 0o600)))
	require.Equal(t, []string{"write sha256:old"}, k.takeEvents())

	s.now = content(t, "sha256:new")
	c := testkit.Must(k.Load(ctx, old))(t)
	require.Same(t, s.now, c)
	require.True(t, isFull(k.events[0].err))
	require.Contains(t, k.log.String(), "cannot write a copy")
	require.Equal(t, []string{"write failed"}, k.takeEvents())
	require.Equal(t, "sha256:old", k.warm(t).Digest)
	require.Equal(t, []string{"ballast", "copy"}, names(t, k.dir))
	k.takeEvents()

	require.NoError(t, os.Remove(ballast))
	require.Same(t, c, testkit.Must(k.Load(ctx, c))(t), "unchanged, but written")
	_, err := k.Load(ctx, c)
	require.NoError(t, err)
	require.Equal(t, []string{"write sha256:new"}, k.takeEvents(), "once")
	require.Equal(t, "sha256:new", k.warm(t).Digest)
}

// TestKeepOnReadOnlyDisk: a read-only disk does not prevent a load either, and the old copy
// stays.
func TestKeepOnReadOnlyDisk(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	require.NoError(t, disk.Write(ctx, filepath.Join(dir, "copy"), content(t, "sha256:old"), disk.Options{}))
	makeReadOnly(t, dir)
	s := &server{now: content(t, "sha256:1")}
	k := keep(t, s, dir, disk.Options{})
	require.Equal(t, "sha256:old", k.warm(t).Digest)
	require.Equal(t, []string{"read sha256:old"}, k.takeEvents())
	c := testkit.Must(k.Load(ctx, nil))(t)
	for range 3 {
		require.Same(t, c, testkit.Must(k.Load(ctx, c))(t))
	}
	err := k.events[0].err
	require.True(t, isReadOnly(err) || errors.Is(err, fs.ErrPermission), "%v", err)
	require.Equal(t, []string{"write failed", "write failed", "write failed", "write failed"}, k.takeEvents())
	require.Equal(t, "sha256:old", k.warm(t).Digest)
	require.Equal(t, []string{"copy"}, names(t, dir))
}

// warmServer is a server that is also a Warmer.
type warmServer struct {
	server
	had *cache.Content
}

func (s *warmServer) Warm(context.Context) (*cache.Content, error) { return s.had, s.err }

// TestKeepWarmer: without a copy, the source's Warm is called, and its content is written even
// if it never changes.
func TestKeepWarmer(t *testing.T) {
	ctx := context.Background()
	s := &warmServer{had: content(t, "sha256:1")}
	s.now = s.had
	path := filepath.Join(t.TempDir(), "copy")
	k := disk.Keep(s, path, disk.Options{})
	warm := testkit.Must(k.(cache.Warmer).Warm(ctx))(t)
	require.Same(t, s.had, warm)
	_, err := k.Load(ctx, warm)
	require.NoError(t, err)
	require.Equal(t, "sha256:1", testkit.Must(disk.Read(context.Background(), path, disk.Options{}))(t).Digest)
	warm = testkit.Must(k.(cache.Warmer).Warm(ctx))(t)
	require.NotSame(t, s.had, warm, "the copy takes precedence")

	s.err = errors.New("gone")
	require.NoError(t, os.Remove(path))
	_, err = k.(cache.Warmer).Warm(ctx)
	require.ErrorIs(t, err, s.err)
}

// TestKeepNotifier: a Notifier remains a Notifier.
func TestKeepNotifier(t *testing.T) {
	m := cache.NewMemory(small(t))
	k := disk.Keep(m, filepath.Join(t.TempDir(), "copy"), disk.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	changed := k.(cache.Notifier).Changed(ctx)
	m.Set(small(t))
	<-changed
	cancel()
	for range changed { // closed when the context ends
	}
	_, ok := disk.Keep(&server{}, "x", disk.Options{}).(cache.Notifier)
	require.False(t, ok)
}

// TestKeepInCache: a restarted cache serves the catalog although its source is unavailable.
func TestKeepInCache(t *testing.T) {
	ctx := context.Background()
	key := cache.Key{Namespace: "olm", Name: "small"}
	path := filepath.Join(t.TempDir(), "copy")
	start := func(s *server) *cache.Cache {
		return testkit.Must(cache.New(cache.Config{Sources: []cache.SourceConfig{{
			Key: key, Source: disk.Keep(s, path, disk.Options{}), Refresh: -1, MaxStale: -1,
		}}}))(t)
	}
	c := start(&server{now: content(t, "sha256:1")})
	require.NoError(t, c.Refresh(ctx, key))
	require.NoError(t, c.Close())

	c = start(&server{err: errors.New("gone")})
	defer func() { require.NoError(t, c.Close()) }()
	snap := testkit.Must(c.Snapshot(ctx))(t)
	require.Len(t, snap.Catalogs(), 1)
	require.Equal(t, "sha256:1", snap.Catalogs()[0].Digest)
	require.NoError(t, snap.Catalogs()[0].Unavailable)
	requireSame(t, small(t), snap.Catalogs()[0].Content)
}
