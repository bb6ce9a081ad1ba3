package files

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// Finish returns what is below the folder, in the order of the paths, element
// by element. Caches of opm are left out: those that are known by what they
// hold, and the folders that are named, absolute paths in the image. A symbolic
// link to a file is a file, and the targets of others are followed as far as
// there is something.
func (t *Tree) Finish(ctx context.Context, caches ...string) ([]Entry, error) {
	if err := t.folder(); err != nil {
		return nil, err
	}
	for _, c := range caches {
		t.hide(rooted(c))
	}
	var names []string
	for p := range t.nodes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if path.Base(p) == "digest" && t.isFile(p) {
			t.hideCache(up(p))
		}
		// So that a folder comes before what is in it, and all of that before what
		// follows it.
		names = append(names, strings.ReplaceAll(p, "/", "\x00"))
	}
	slices.Sort(names)
	var entries []Entry
	var bytes, steps int64
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := strings.ReplaceAll(name, "\x00", "/")
		n := t.find(p)
		if n == nil || t.locate(p) != below {
			continue
		}
		e := n.Entry
		e.Name = t.below(p)
		if e.Kind == Link {
			if err := t.link(n, p, &e, &steps); err != nil {
				return nil, err
			}
		}
		// Several names of one content count each: whoever copies the files
		// writes it so many times.
		if bytes += e.Size; bytes > t.limits.Bytes {
			return nil, passed("MaxFileBytes", t.limits.Bytes, n.layer, n.entry)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// folder returns an error if the folder is not there.
func (t *Tree) folder() error {
	for p := t.at; ; p = up(p) {
		n, what := t.find(p), "not a folder"
		switch {
		case n == nil && p != "":
			continue
		case n == nil || n.Kind == Folder && p != t.at:
			return &Error{Reason: fmt.Sprintf("there is no folder /%s in the image: correct the label, or add the catalog to the image", t.at)}
		case n.Kind == Folder:
			return nil
		case n.Kind == Link:
			what = fmt.Sprintf("a symbolic link to %q", n.Target)
		}
		return &Error{Layer: n.layer, Entry: n.entry, Reason: fmt.Sprintf("/%s is %s there: name the folder itself in the label", p, what)}
	}
}

// below returns a path below the folder as seen from there.
func (t *Tree) below(p string) string { return strings.TrimPrefix(p[len(t.at):], "/") }

// isFile reports whether there is a file.
func (t *Tree) isFile(p string) bool {
	n := t.find(p)
	return n != nil && n.Kind == File
}

// hide removes what is at a path, if it lies below the folder.
func (t *Tree) hide(p string) {
	if n := t.nodes[p]; n != nil && t.locate(p) == below {
		n.hidden = math.MaxInt64
	}
}

// hideCache removes what opm keeps in the folder that its option --cache-dir names, where a
// folder has a file called digest: the folder itself if it is pogreb.v1, and before that the
// file, and a folder cache with a packages.json beside it.
func (t *Tree) hideCache(dir string) {
	if t.isFile(path.Join(dir, "cache/packages.json")) {
		t.hide(path.Join(dir, "digest"))
		t.hide(path.Join(dir, "cache"))
	}
	if path.Base(dir) == "pogreb.v1" {
		t.hide(dir)
	}
}

// link makes an entry of a symbolic link, which costs steps.
func (t *Tree) link(n *node, p string, e *Entry, steps *int64) error {
	to, at, err := t.resolve(n, p, steps)
	switch {
	case err != nil:
		return err
	case to == nil || to.Kind == Folder:
		e.Target = cmp.Or(t.below(at), ".")
	case to.Kind == Link: // in a circle
		e.Target = e.Name
	default:
		e.Kind, e.Content, e.Target = File, to.Content, ""
	}
	return nil
}

// resolve follows a symbolic link, as far as there is something. It returns
// nil, and where something would have to be, if there is not; and the link
// itself if it leads round in a circle.
func (t *Tree) resolve(n *node, p string, steps *int64) (*node, string, error) {
	leaves := func() error {
		return &Error{Layer: n.layer, Entry: n.entry, Reason: fmt.Sprintf("it is a symbolic link to %q, which leads out of the catalog's folder /%s: build the image with a copy", n.Target, t.at)}
	}
	here := p // a path of the image without links
	var todo []string
	follow := func(target string) {
		steps := strings.Split(target, "/")
		slices.Reverse(steps)
		todo = append(todo, steps...)
		if here = up(here); strings.HasPrefix(target, "/") {
			here = ""
		}
	}
	follow(n.Target)
	for hops := 0; len(todo) > 0; {
		if *steps += int64(strings.Count(here, "/")) + 2; *steps > maxLinkSteps {
			return nil, "", passed("MaxLinkSteps", maxLinkSteps, n.layer, n.entry)
		}
		step := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if step == ".." {
			here = up(here)
			continue
		}
		here = rooted(here + "/" + step)
		switch t.locate(here) {
		case outside:
			return nil, "", leaves()
		case above:
			continue
		}
		at := t.find(here)
		switch {
		case at == nil:
			return nil, here, nil
		case at.Kind != Link:
			continue
		}
		if hops++; hops > maxHops {
			return n, "", nil
		}
		follow(at.Target)
	}
	if here != t.at && t.locate(here) != below {
		return nil, "", leaves()
	}
	return t.find(here), here, nil
}
