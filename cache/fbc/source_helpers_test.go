package fbc_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// dumpAll renders all that can be seen of a catalog, places and lines and
// problems and indexes included: two catalogs with the same text are the same.
func dumpAll(c *cache.Catalog) string {
	var s strings.Builder
	problem := func(p *graph.Problem) string {
		if p == nil {
			return "-"
		}
		return fmt.Sprintf("%+v", *p)
	}
	for p := range c.Packages() {
		fmt.Fprintf(&s, "package %s %q %v %q %v %s %v %v\n", p.Name, p.DefaultChannel, p.Deprecated, p.Deprecation, p.Pos, problem(p.Quarantine), p.Problems, c.InPackage(p.Name))
		for _, ch := range p.Channels {
			fmt.Fprintf(&s, " channel %s %v %q %v %s %s\n", ch.Name, ch.Deprecated, ch.Deprecation, ch.Pos, problem(ch.Quarantine), problem(ch.Quarantined()))
			if ch.Package != p {
				s.WriteString("  of another package\n")
			}
			for _, e := range ch.Entries {
				bundle := int32(-1)
				if e.Bundle != nil {
					bundle = e.Bundle.ID
				}
				fmt.Fprintf(&s, "  %s %q %q %s %q %d %d\n", e.Name, e.Replaces, e.Skips(), e.SkipRange(), e.SkippedBy(), e.Position, bundle)
			}
			for _, e := range ch.Chain() {
				fmt.Fprintf(&s, "  then %s\n", e.Name)
			}
		}
	}
	types := map[string]bool{}
	for b := range c.Bundles() {
		fmt.Fprintf(&s, "bundle %d %s/%s %s %q %v %v %q %v %s named %v\n", b.ID, b.Package, b.Name, b.Version, b.Image, b.Barred, b.Deprecated, b.Deprecation, b.Pos(), problem(b.Quarantine), c.Named(b.Name))
		if c.Bundle(b.ID) != b || c.Package(b.Package).Bundle(b.Name) != b {
			s.WriteString(" is another one\n")
		}
		for p := range b.Properties.All() {
			fmt.Fprintf(&s, " %s %s\n", p.Type(), p.Raw())
			types[p.Type()] = true
		}
		for _, r := range b.Constraints {
			fmt.Fprintf(&s, " requires %s\n", r.Constraint.Key())
		}
		for _, at := range b.Places {
			fmt.Fprintf(&s, " in %s at %d, %v\n", at.Channel.Name, at.Position, at.Channel == c.Package(b.Package).Channel(at.Channel.Name))
		}
		for p := range b.Properties.All() {
			if label, ok := p.Value().(properties.Label); ok {
				fmt.Fprintf(&s, " label %s %v\n", label, c.Labelled(string(label)))
			}
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(types)) {
		fmt.Fprintf(&s, "type %s %v\n", typ, c.WithType(typ))
	}
	for api := range c.APIs() {
		fmt.Fprintf(&s, "api %v %v\n", api, c.Providers(api))
	}
	for _, p := range c.Problems() {
		fmt.Fprintf(&s, "problem %+v\n", p)
	}
	fmt.Fprintf(&s, "%d of %d can be chosen\n", c.Choosable(), c.Len())
	return s.String()
}

// disk is a file system in memory that a test can change at any time, also
// from inside of a load. It counts how often each file is opened.
type disk struct {
	mu     sync.Mutex
	files  fstest.MapFS
	clock  time.Time
	opened map[string]int
	onOpen func(name string) // called before a file is opened, without the lock
	broken map[string]error
}

// newDisk returns a disk with these files. Its clock stands in the past, so
// that stamps can be trusted, and moves on with each change.
func newDisk(files map[string]string) *disk {
	d := &disk{files: fstest.MapFS{}, clock: time.Date(2021, 5, 1, 0, 0, 0, 0, time.UTC), opened: map[string]int{}, broken: map[string]error{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		d.write(name, files[name])
	}
	return d
}

// write writes a file.
func (d *disk) write(name, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clock = d.clock.Add(time.Second)
	d.files[name] = &fstest.MapFile{Data: []byte(text), ModTime: d.clock}
}

// writeAt writes a file with a time of modification.
func (d *disk) writeAt(name, text string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name] = &fstest.MapFile{Data: []byte(text), ModTime: at}
}

// remove removes what lies at or below a path.
func (d *disk) remove(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.files, func(file string, _ *fstest.MapFile) bool { return file == name || strings.HasPrefix(file, name+"/") })
}

// opens returns which files were opened since the last call, each with how
// often.
func (d *disk) opens() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.opened
	d.opened = map[string]int{}
	return out
}

// Open implements fs.FS.
func (d *disk) Open(name string) (fs.File, error) {
	d.mu.Lock()
	hook := d.onOpen
	d.mu.Unlock()
	if hook != nil {
		hook(name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened[name]++
	if err := d.broken[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return d.files.Open(name)
}

// Stat implements fs.StatFS.
func (d *disk) Stat(name string) (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if name == "." && len(d.files) == 0 {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return d.files.Stat(name)
}

// ReadDir implements fs.ReadDirFS.
func (d *disk) ReadDir(name string) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.broken[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return d.files.ReadDir(name)
}

var errDisk = errors.New("input/output error of the test")

// mustLoad loads a source.
func mustLoad(t require.TestingT, s cache.Source, last *cache.Content) *cache.Content {
	c := testkit.Must(s.Load(context.Background(), last))(t)
	require.NotNil(t, c.Catalog)
	require.Regexp(t, "^sha256:[0-9a-f]{64}$", c.Digest)
	return c
}
