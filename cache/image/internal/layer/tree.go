package layer

import (
	"io/fs"
	"strings"

	"github.com/seed109e2655/resolute/cache/image/internal/store"
)

// node is what layers put at one place.
type node struct {
	kind     fs.FileMode // as a store.Entry has it
	layer    int         // that put it there
	entry    string      // its name there
	children map[string]*node
	cleared  int // the last layer that hid everything of lower layers below
	content  store.Content
	target   string // of a link
}

// Tree is what the layers that were applied so far have below a folder, and where
// that folder and those that it lies in have to be. It is not safe for concurrent
// use.
type Tree struct {
	at     []string // the path of the folder in the image
	limits Limits
	spool  *store.Spool

	layer   int
	entries int64
	nodes   int64 // below the folder; less than 0 while the folder is missing
	bytes   int64 // were kept
	root    *node // of the image; nil if it is empty
}

// New returns the tree of an image without layers. The folder is an absolute
// path with slashes.
func New(at string, limits Limits, spool *store.Spool) *Tree {
	t := &Tree{at: strings.FieldsFunc(at, func(r rune) bool { return r == '/' }), limits: limits, spool: spool}
	t.nodes = -int64(len(t.at))
	return t
}

// position is where a path is, seen from the folder.
type position uint8

const (
	outside position = iota
	above            // the folder itself, or one that it lies in
	below
)

// locate returns where a path of the image is.
func (t *Tree) locate(parts []string) position {
	for i, name := range parts {
		if i == len(t.at) {
			return below
		}
		if name != t.at[i] {
			return outside
		}
	}
	return above
}

// newNode returns a node of the current layer.
func (t *Tree) newNode(kind fs.FileMode, entry string) *node {
	n := &node{kind: kind, layer: t.layer, entry: entry}
	if kind == store.Folder {
		n.children, n.cleared = map[string]*node{}, t.layer
	}
	return n
}

// put places a node, in place of what is there. A folder that is there stays. What
// lies above the folder is one too, whatever lower layers have there, where
// something is put below it.
func (t *Tree) put(parts []string, n *node) error {
	if t.root == nil {
		t.root = t.newNode(store.Folder, n.entry)
	}
	dir := t.root
	for i, name := range parts {
		was := dir.children[name]
		next := n
		switch last := i == len(parts)-1; {
		case last && was != nil && was.kind == store.Folder && n.kind == store.Folder:
			was.layer, was.entry = t.layer, n.entry
			return nil
		case last:
		case was != nil && was.kind == store.Folder:
			dir = was
			continue
		case was != nil && was.kind == store.Link && i >= len(t.at):
			return t.refuse(n.entry, "it lies below %q, which is a symbolic link: build the layer again with the path that the link leads to", name)
		default:
			next = t.newNode(store.Folder, n.entry)
		}
		t.drop(was)
		dir.children[name] = next
		if t.nodes++; t.nodes > t.limits.Files {
			return t.passed(n.entry, LimitFiles, t.limits.Files)
		}
		dir = next
	}
	return nil
}

// drop counts that a node, and all below it, is gone.
func (t *Tree) drop(n *node) {
	if n == nil {
		return
	}
	t.nodes--
	for _, child := range n.children {
		t.drop(child)
	}
}

// find returns what is at a path of the image, or nil. It follows no links.
func (t *Tree) find(parts []string) *node {
	n := t.root
	for _, name := range parts {
		if n == nil {
			return nil
		}
		n = n.children[name]
	}
	return n
}
