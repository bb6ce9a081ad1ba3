package layer

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/image/internal/store"
)

// Finish returns what is below the folder, in the order of the paths, element
// by element. Caches of opm are left out: those that are known by what they
// hold, and the folders that are named, absolute paths in the image. A symbolic
// link to a file is a file, and the targets of others are followed as far as
// there is something.
func (t *Tree) Finish(ctx context.Context, caches ...string) ([]store.Entry, error) {
	n := t.root
	for i, name := range t.at {
		if n == nil {
			break
		}
		if n = n.children[name]; n != nil && n.kind != store.Folder {
			what := "not a folder"
			if n.kind == store.Link {
				what = fmt.Sprintf("a symbolic link to %q", n.target)
			}
			return nil, &Error{Layer: n.layer, Entry: n.entry,
				Reason: fmt.Sprintf("/%s is %s there: name the folder itself in the label", strings.Join(t.at[:i+1], "/"), what)}
		}
	}
	if n == nil {
		return nil, &Error{Reason: fmt.Sprintf("there is no folder /%s in the image: correct the label, or add the catalog to the image", strings.Join(t.at, "/"))}
	}
	for _, c := range caches {
		t.remove(c)
	}
	removeCaches(n)
	f := &finish{ctx: ctx, tree: t}
	err := f.folder(n, "")
	return f.entries, err
}

// remove removes a path of the image, if it lies below the folder.
func (t *Tree) remove(name string) {
	parts := strings.FieldsFunc(path.Clean("/"+name), func(r rune) bool { return r == '/' })
	if t.locate(parts) != below {
		return
	}
	if dir := t.find(parts[:len(parts)-1]); dir != nil {
		delete(dir.children, parts[len(parts)-1])
	}
}

// removeCaches removes what opm keeps in the folder that its option
// --cache-dir names: the folder pogreb.v1 with a digest, and before that a
// digest beside a folder cache with a packages.json.
func removeCaches(n *node) {
	has := func(n *node, name string, kind fs.FileMode) bool {
		return n != nil && n.children[name] != nil && n.children[name].kind == kind
	}
	if has(n, "pogreb.v1", store.Folder) && has(n.children["pogreb.v1"], "digest", store.File) {
		delete(n.children, "pogreb.v1")
	}
	if has(n, "digest", store.File) && has(n, "cache", store.Folder) && has(n.children["cache"], "packages.json", store.File) {
		delete(n.children, "digest")
		delete(n.children, "cache")
	}
	for _, child := range n.children {
		removeCaches(child)
	}
}

// finish lists a tree.
type finish struct {
	ctx     context.Context
	tree    *Tree
	entries []store.Entry
	bytes   int64
	steps   int64
}

func (f *finish) folder(n *node, at string) error {
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		child := n.children[name]
		e := store.Entry{Name: path.Join(at, name), Kind: child.kind, Content: child.content}
		if child.kind == store.Link {
			if err := f.link(child, &e); err != nil {
				return err
			}
		}
		// Several names of one content count each: whoever copies the files
		// writes it so many times.
		if f.bytes += e.Size; f.bytes > f.tree.limits.Bytes {
			return &Error{Layer: child.layer, Entry: child.entry, Limit: LimitBytes, Max: f.tree.limits.Bytes}
		}
		f.entries = append(f.entries, e)
		if child.kind == store.Folder {
			if err := f.folder(child, e.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// link makes an entry of a symbolic link.
func (f *finish) link(n *node, e *store.Entry) error {
	to, parts, err := f.resolve(n, e.Name)
	switch {
	case err != nil:
		return err
	case to == nil || to.kind == store.Folder:
		e.Target = cmp.Or(path.Join(parts...), ".")
	case to.kind == store.Link: // in a circle
		e.Target = e.Name
	default:
		e.Kind, e.Content = store.File, to.content
	}
	return nil
}

// resolve follows a symbolic link, as far as there is something. It returns
// nil, and where something would have to be, if there is not; and the link
// itself if it leads round in a circle.
func (f *finish) resolve(n *node, name string) (*node, []string, error) {
	leaves := func() error {
		return &Error{Layer: n.layer, Entry: n.entry, Reason: fmt.Sprintf("it is a symbolic link to %q, which leads out of the catalog's folder /%s: build the image with a copy", n.target, strings.Join(f.tree.at, "/"))}
	}
	here := slices.Concat(f.tree.at, strings.Split(path.Dir(name), "/")) // a path of the image without links
	if path.Dir(name) == "." {
		here = slices.Clone(f.tree.at)
	}
	todo := todoOf(n.target)
	if strings.HasPrefix(n.target, "/") {
		here = nil
	}
	for hops := 0; len(todo) > 0; {
		if f.steps += int64(len(here)) + 1; f.steps > maxLinkSteps {
			return nil, nil, &Error{Layer: n.layer, Entry: n.entry, Limit: LimitLinks, Max: maxLinkSteps}
		}
		step := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if step == ".." {
			here = here[:max(len(here)-1, 0)]
			continue
		}
		here = append(here, step)
		switch f.tree.locate(here) {
		case outside:
			return nil, nil, leaves()
		case above:
			continue
		}
		at := f.tree.find(here)
		switch {
		case at == nil:
			return nil, here[len(f.tree.at):], nil
		case at.kind != store.Link:
			continue
		}
		if hops++; hops > maxHops {
			return n, nil, nil
		}
		todo = append(todo, todoOf(at.target)...)
		here = here[:len(here)-1]
		if strings.HasPrefix(at.target, "/") {
			here = nil
		}
	}
	if f.tree.locate(here) == outside || len(here) < len(f.tree.at) {
		return nil, nil, leaves()
	}
	return f.tree.find(here), here[len(f.tree.at):], nil
}

// todoOf returns the elements of a target, the first one last.
func todoOf(target string) []string {
	parts := strings.Split(target, "/")
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" || p == "." })
	slices.Reverse(parts)
	return parts
}
