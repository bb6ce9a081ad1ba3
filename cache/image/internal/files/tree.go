package files

import (
	"path"
	"strings"
)

// node is the entry of layers at a path. It remains when the path is hidden. Entries are
// numbered across all layers, so a node that is hidden and then replaced has a higher number.
type node struct {
	Entry         // without its name
	parent *node  // nil for the root
	layer  int    // layer of the entry
	entry  string // name in the layer
	put    int64  // number of the last entry at or below the path
	// Entries with a number below hidden are hidden, here and below; entries below this path
	// with a number below cleared are hidden.
	hidden, cleared int64
}

// visible reports whether neither a node nor any of its parents is hidden.
func (n *node) visible() bool {
	for p := n; p != nil; p = p.parent {
		if n.put < p.hidden || p != n && n.put < p.cleared {
			return false
		}
	}
	return n != nil
}

// Tree is the result of the applied layers below a folder, and of its parents. It is not safe
// for concurrent use.
type Tree struct {
	at     string // path of the folder in the image
	limits Limits
	spool  *Spool
	nodes  map[string]*node // by path; "" is the root

	layer   int
	begin   int64 // number of the layer's first entry
	entries int64
	files   int64 // nodes below the folder
	bytes   int64 // total size of the stored contents
}

// NewTree returns the tree of an image without layers. The folder is an absolute path with
// slashes.
func NewTree(at string, limits Limits, spool *Spool) *Tree {
	return &Tree{at: cleanPath(at), limits: limits, spool: spool, nodes: map[string]*node{}}
}

// cleanPath returns a path of the image in the form of node keys: clean, without a leading
// slash.
func cleanPath(p string) string { return path.Clean("/" + p)[1:] }

// parent returns the parent of a path; the root's parent is the root.
func parent(p string) string { return p[:max(strings.LastIndex(p, "/"), 0)] }

// position is the position of a path relative to the folder.
type position uint8

const (
	outside position = iota
	above            // the folder itself or one of its parents
	below
)

// locate returns the position of a path of the image.
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

// put sets the entry at a path. An existing folder keeps its content if the new entry is a
// folder too. Parents of the folder become folders, whatever lower layers have there, if
// something is put below them.
func (t *Tree) put(p, entry string, what Entry) error {
	n := t.nodes[p]
	if isFolder := n.visible() && n.Kind == Folder; !isFolder || what.Kind != Folder {
		if p != "" {
			if err := t.makeFolder(parent(p), entry); err != nil {
				return err
			}
		}
		if n == nil {
			n = &node{}
			if t.nodes[p] = n; p != "" {
				n.parent = t.nodes[parent(p)]
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
	for p := n; p != nil; p = p.parent {
		p.put = t.entries
	}
	if t.files > t.limits.Files {
		return limitExceeded("MaxFiles", t.limits.Files, t.layer, entry)
	}
	return nil
}

// makeFolder makes a path a folder, as the parent of a new entry.
func (t *Tree) makeFolder(p, entry string) error {
	switch n := t.nodes[p]; {
	case !n.visible():
	case n.Kind == Folder:
		return nil
	case n.Kind == Link && t.locate(p) == below:
		return t.refuse(entry, "it is below %q, which is a symbolic link: rebuild the layer with the target of the link", path.Base(p))
	}
	return t.put(p, entry, Entry{Kind: Folder})
}

// find returns the visible node at a path of the image, or nil. It follows no links.
func (t *Tree) find(p string) *node {
	if n := t.nodes[p]; n.visible() {
		return n
	}
	return nil
}

const (
	// whiteoutPrefix is the prefix of a file that hides the file of the remaining name.
	whiteoutPrefix = ".wh."
	// opaqueName is a file that hides everything that lower layers have in its folder.
	opaqueName = ".wh..wh..opq"
	// reservedPrefix is the prefix of internal files of a union file system.
	reservedPrefix = ".wh..wh."
)

// whiteout applies a whiteout. It reports whether the entry is one.
func (t *Tree) whiteout(p, entry string) (bool, error) {
	hidden, isWhiteout := strings.CutPrefix(path.Base(p), whiteoutPrefix)
	switch {
	case !isWhiteout:
		return false, nil
	case path.Base(p) == opaqueName:
		if n := t.nodes[parent(p)]; n != nil {
			n.cleared = max(n.cleared, t.begin)
		}
	case strings.HasPrefix(path.Base(p), reservedPrefix):
	case hidden == "" || hidden == "." || hidden == "..":
		return true, t.refuse(entry, "this whiteout names no file: rebuild the layer")
	default:
		if n := t.nodes[path.Join(parent(p), hidden)]; n != nil {
			n.hidden = t.begin
		}
	}
	return true, nil
}
