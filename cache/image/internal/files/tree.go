package files

import (
	"path"
	"strings"
)

// node is what layers put at a path. It stays when that is hidden: entries are numbered
// through all layers, and numbers tell what is hidden from what came later.
type node struct {
	Entry         // without its name
	parent *node  // nil for the root
	layer  int    // that put it there
	entry  string // its name there
	put    int64  // the last entry that put it, or something below it, there
	// What entries before hidden put here or below is hidden, and what entries before
	// cleared put below.
	hidden, cleared int64
}

// there reports whether a node is not hidden. Then nothing that it lies in is.
func (n *node) there() bool {
	for in := n; in != nil; in = in.parent {
		if n.put < in.hidden || in != n && n.put < in.cleared {
			return false
		}
	}
	return n != nil
}

// Tree is what the layers that were applied so far have below a folder, and where
// that folder and those that it lies in have to be. It is not safe for concurrent
// use.
type Tree struct {
	at     string // the path of the folder in the image
	limits Limits
	spool  *Spool
	nodes  map[string]*node // by path; "" is the root

	layer   int
	begin   int64 // the first entry of the layer
	entries int64
	files   int64 // nodes below the folder
	bytes   int64 // were kept
}

// NewTree returns the tree of an image without layers. The folder is an absolute
// path with slashes.
func NewTree(at string, limits Limits, spool *Spool) *Tree {
	return &Tree{at: rooted(at), limits: limits, spool: spool, nodes: map[string]*node{}}
}

// rooted returns a path of the image as nodes have it.
func rooted(p string) string { return path.Clean("/" + p)[1:] }

// up returns the path of the folder that a path lies in; that of the root is its own.
func up(p string) string { return p[:max(strings.LastIndex(p, "/"), 0)] }

// position is where a path is, seen from the folder.
type position uint8

const (
	outside position = iota
	above            // the folder itself, or one that it lies in
	below
)

// locate returns where a path of the image is.
func (t *Tree) locate(p string) position {
	in := func(p, dir string) bool {
		return dir == "" || strings.HasPrefix(p, dir) && (len(p) == len(dir) || p[len(dir)] == '/')
	}
	switch {
	case in(t.at, p):
		return above
	case in(p, t.at):
		return below
	}
	return outside
}

// put places something, in place of what is there. A folder that is there stays. What
// lies above the folder is one too, whatever lower layers have there, where
// something is put below it.
func (t *Tree) put(p, entry string, what Entry) error {
	n := t.nodes[p]
	if isFolder := n.there() && n.Kind == Folder; !isFolder || what.Kind != Folder {
		if p != "" {
			if err := t.open(up(p), entry); err != nil {
				return err
			}
		}
		if n == nil {
			n = &node{}
			if t.nodes[p] = n; p != "" {
				n.parent = t.nodes[up(p)]
			}
			if t.locate(p) == below {
				t.files++
			}
		}
		if n.Entry = what; what.Kind != Folder {
			n.cleared = t.entries
		}
	}
	n.layer, n.entry = t.layer, entry
	for in := n; in != nil; in = in.parent {
		in.put = t.entries
	}
	if t.files > t.limits.Files {
		return passed("MaxFiles", t.limits.Files, t.layer, entry)
	}
	return nil
}

// open makes a folder of a path that something is put into.
func (t *Tree) open(p, entry string) error {
	switch n := t.nodes[p]; {
	case !n.there():
	case n.Kind == Folder:
		return nil
	case n.Kind == Link && t.locate(p) == below:
		return t.refuse(entry, "it lies below %q, which is a symbolic link: build the layer again with the path that the link leads to", path.Base(p))
	}
	return t.put(p, entry, Entry{Kind: Folder})
}

// find returns what is at a path of the image, or nil. It follows no links.
func (t *Tree) find(p string) *node {
	if n := t.nodes[p]; n.there() {
		return n
	}
	return nil
}

const (
	// whiteoutPrefix begins the name of a file that hides the one whose name
	// follows.
	whiteoutPrefix = ".wh."
	// opaqueName is the file that hides all that lower layers have in its
	// folder.
	opaqueName = ".wh..wh..opq"
	// reservedPrefix begins the names of files that are notes of a file system.
	reservedPrefix = ".wh..wh."
)

// whiteout applies a whiteout. It returns false if the entry is not one.
func (t *Tree) whiteout(p, entry string) (bool, error) {
	hidden, is := strings.CutPrefix(path.Base(p), whiteoutPrefix)
	switch {
	case !is:
		return false, nil
	case path.Base(p) == opaqueName:
		if n := t.nodes[up(p)]; n != nil {
			n.cleared = max(n.cleared, t.begin)
		}
	case strings.HasPrefix(path.Base(p), reservedPrefix):
	case hidden == "" || hidden == "." || hidden == "..":
		return true, t.refuse(entry, "this whiteout names no file: build the layer again")
	default:
		if n := t.nodes[path.Join(up(p), hidden)]; n != nil {
			n.hidden = t.begin
		}
	}
	return true, nil
}
