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

// Finish returns the entries below the folder, in the order of their paths, element by element.
// It excludes opm caches: those recognized by their content, and the given folders, absolute
// paths in the image. A symbolic link to a file becomes a file; the targets of other links are
// resolved if they exist.
func (t *Tree) Finish(ctx context.Context, caches ...string) ([]Entry, error) {
	if err := t.folder(); err != nil {
		return nil, err
	}
	for _, c := range caches {
		t.hide(cleanPath(c))
	}
	var names []string
	for p := range t.nodes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if path.Base(p) == "digest" && t.isFile(p) {
			t.hideCache(parent(p))
		}
		// Sorts a folder before its content, and its content before later names.
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
		// Each name of a shared content counts, because copying the files writes it each time.
		if bytes += e.Size; bytes > t.limits.Bytes {
			return nil, limitExceeded("MaxFileBytes", t.limits.Bytes, n.layer, n.entry)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// folder returns an error if the folder does not exist.
func (t *Tree) folder() error {
	for p := t.at; ; p = parent(p) {
		n, what := t.find(p), "not a folder"
		switch {
		case n == nil && p != "":
			continue
		case n == nil || n.Kind == Folder && p != t.at:
			return &Error{Reason: fmt.Sprintf("the image has no folder /%s: correct the label, or add the catalog to the image", t.at)}
		case n.Kind == Folder:
			return nil
		case n.Kind == Link:
			what = fmt.Sprintf("a symbolic link to %q", n.Target)
		}
		return &Error{Layer: n.layer, Entry: n.entry, Reason: fmt.Sprintf("/%s is %s: set the label to the folder itself", p, what)}
	}
}

// below returns a path below the folder relative to it.
func (t *Tree) below(p string) string { return strings.TrimPrefix(p[len(t.at):], "/") }

// isFile reports whether a path is a file.
func (t *Tree) isFile(p string) bool {
	n := t.find(p)
	return n != nil && n.Kind == File
}

// hide hides a path below the folder.
func (t *Tree) hide(p string) {
	if n := t.nodes[p]; n != nil && t.locate(p) == below {
		n.hidden = math.MaxInt64
	}
}

// hideCache hides an opm cache, the content of its option --cache-dir, in a folder with a file
// called digest. A folder called pogreb.v1 is hidden itself. The older format has a folder
// cache with a packages.json beside the file: both are hidden.
func (t *Tree) hideCache(dir string) {
	if t.isFile(path.Join(dir, "cache/packages.json")) {
		t.hide(path.Join(dir, "digest"))
		t.hide(path.Join(dir, "cache"))
	}
	if path.Base(dir) == "pogreb.v1" {
		t.hide(dir)
	}
}

// link resolves a symbolic link to an entry, counting steps.
func (t *Tree) link(n *node, p string, e *Entry, steps *int64) error {
	to, at, err := t.resolve(n, p, steps)
	switch {
	case err != nil:
		return err
	case to == nil || to.Kind == Folder:
		e.Target = cmp.Or(t.below(at), ".")
	case to.Kind == Link: // in a cycle
		e.Target = e.Name
	default:
		e.Kind, e.Content, e.Target = File, to.Content, ""
	}
	return nil
}

// resolve follows a symbolic link. If the target does not exist, it returns nil and the missing
// path. If the link is part of a cycle, it returns the link itself.
func (t *Tree) resolve(n *node, p string, steps *int64) (*node, string, error) {
	outsideError := func() error {
		return &Error{Layer: n.layer, Entry: n.entry, Reason: fmt.Sprintf("it is a symbolic link to %q, which leads out of the catalog's folder /%s: rebuild the image with a copy", n.Target, t.at)}
	}
	here := p // path in the image, links resolved
	var pending []string
	follow := func(target string) {
		steps := strings.Split(target, "/")
		slices.Reverse(steps)
		pending = append(pending, steps...)
		if here = parent(here); strings.HasPrefix(target, "/") {
			here = ""
		}
	}
	follow(n.Target)
	for hops := 0; len(pending) > 0; {
		if *steps += int64(strings.Count(here, "/")) + 2; *steps > maxLinkSteps {
			return nil, "", limitExceeded("MaxLinkSteps", maxLinkSteps, n.layer, n.entry)
		}
		step := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if step == ".." {
			here = parent(here)
			continue
		}
		here = cleanPath(here + "/" + step)
		switch t.locate(here) {
		case outside:
			return nil, "", outsideError()
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
		return nil, "", outsideError()
	}
	return t.find(here), here, nil
}
