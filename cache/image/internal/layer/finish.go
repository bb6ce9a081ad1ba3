package layer

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Kind is what an [Entry] is.
type Kind uint8

// The kinds of entries.
const (
	File Kind = iota
	Folder
	// Link is a symbolic link that does not lead to a file: to a folder, to
	// nothing, or round in a circle.
	Link
)

// Entry is what is at one place below the folder when all layers are applied.
type Entry struct {
	// Name is its path below the folder, with slashes.
	Name string
	Kind Kind
	// Content is that of a file. A symbolic link to a file is a file.
	Content Content
	// Target is where a link leads, as a path below the folder, as far as it
	// could be followed.
	Target string
}

// Finish returns what is below the folder, in the order of the paths, element
// by element. Caches of opm are left out: those that are known by what they
// hold, and the folders that are named, absolute paths in the image.
func (t *Tree) Finish(ctx context.Context, caches ...string) ([]Entry, error) {
	switch {
	case t.obstacle != nil:
		return nil, &Error{Layer: t.obstacle.layer, Entry: t.obstacle.entry,
			Reason: fmt.Sprintf("/%s is %s there: name the folder itself in the label", strings.Join(t.at[:t.obstacle.depth], "/"), t.obstacle.what)}
	case t.root == nil:
		return nil, &Error{Reason: fmt.Sprintf("there is no folder /%s in the image: correct the label, or add the catalog to the image", strings.Join(t.at, "/"))}
	}
	for _, c := range caches {
		t.remove(c)
	}
	t.removeCaches(t.root)
	f := &finish{ctx: ctx, tree: t}
	err := f.folder(t.root, "")
	return f.entries, err
}

// remove removes a path of the image, if it lies below the folder.
func (t *Tree) remove(name string) {
	parts := strings.FieldsFunc(path.Clean("/"+name), func(r rune) bool { return r == '/' })
	if t.locate(parts) != below {
		return
	}
	rel := parts[len(t.at):]
	if dir := t.find(rel[:len(rel)-1]); dir != nil {
		delete(dir.children, rel[len(rel)-1])
	}
}

// removeCaches removes what opm keeps in the folder that its option
// --cache-dir names: the folder pogreb.v1 with a digest, and before that a
// digest beside a folder cache with a packages.json.
func (t *Tree) removeCaches(n *node) {
	has := func(n *node, name string, k kind) bool {
		return n != nil && n.children[name] != nil && n.children[name].kind == k
	}
	if has(n, "pogreb.v1", folder) && has(n.children["pogreb.v1"], "digest", file) {
		delete(n.children, "pogreb.v1")
	}
	if has(n, "digest", file) && has(n, "cache", folder) && has(n.children["cache"], "packages.json", file) {
		delete(n.children, "digest")
		delete(n.children, "cache")
	}
	for _, child := range n.children {
		t.removeCaches(child)
	}
}

// finish lists a tree.
type finish struct {
	ctx     context.Context
	tree    *Tree
	entries []Entry
	bytes   int64
	steps   int64
}

// folder lists what is in a folder.
func (f *finish) folder(n *node, at string) error {
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		child := n.children[name]
		e := Entry{Name: path.Join(at, name), Content: child.content}
		switch child.kind {
		case folder:
			e.Kind = Folder
		case link:
			if err := f.link(child, &e); err != nil {
				return err
			}
		}
		// Several names of one content count each: whoever copies the files
		// writes it so many times.
		if f.bytes += e.Content.Size; f.bytes > f.tree.limits.Bytes {
			return &Error{Layer: child.layer, Entry: child.entry, Limit: LimitBytes, Max: f.tree.limits.Bytes}
		}
		f.entries = append(f.entries, e)
		if child.kind == folder {
			if err := f.folder(child, e.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// link makes an entry of a symbolic link.
func (f *finish) link(n *node, e *Entry) error {
	to, parts, err := f.resolve(n, e.Name)
	if err != nil {
		return err
	}
	if to != nil && to.kind == file {
		e.Content = to.content
		return nil
	}
	e.Kind, e.Target = Link, path.Join(parts...)
	if to != nil && to.kind == link { // in a circle
		e.Target = e.Name
	}
	if e.Target == "" {
		e.Target = "."
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
		at := f.tree.find(here[len(f.tree.at):])
		switch {
		case at == nil:
			return nil, here[len(f.tree.at):], nil
		case at.kind != link:
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
	return f.tree.find(here[len(f.tree.at):]), here[len(f.tree.at):], nil
}

// todoOf returns the elements of a target, the first one last.
func todoOf(target string) []string {
	parts := strings.Split(target, "/")
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" || p == "." })
	slices.Reverse(parts)
	return parts
}
