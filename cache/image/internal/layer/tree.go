package layer

import (
	"strings"
)

// kind is what a node is.
type kind uint8

const (
	folder kind = iota
	file
	link
)

// node is what layers put at one place below the folder.
type node struct {
	kind     kind
	layer    int    // that put it there
	entry    string // its name there
	children map[string]*node
	cleared  int // the last layer that hid everything of lower layers below
	content  Content
	target   string // of a link
}

// Tree is what the layers that were applied so far have below a folder. It is
// not safe for concurrent use.
type Tree struct {
	at     []string // the path of the folder in the image
	limits Limits
	spool  *Spool

	layer    int
	entries  int64
	nodes    int64 // there are
	bytes    int64 // were kept
	root     *node // nil if there is no folder
	obstacle *obstacle
}

// obstacle is something that is not a folder where the folder, or one above
// it, should be.
type obstacle struct {
	depth int // of its path
	layer int
	what  string
	entry string
}

// New returns the tree of an image without layers. The folder is an absolute
// path with slashes.
func New(at string, limits Limits, spool *Spool) *Tree {
	return &Tree{at: strings.FieldsFunc(at, func(r rune) bool { return r == '/' }), limits: limits, spool: spool}
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
func (t *Tree) newNode(k kind, entry string) *node {
	n := &node{kind: k, layer: t.layer, entry: entry}
	if k == folder {
		n.children, n.cleared = map[string]*node{}, t.layer
	}
	return n
}

// put places a node, in place of what is there. A folder that is there stays.
func (t *Tree) put(parts []string, n *node) error {
	t.obstacle = nil // what is below it says that it is a folder
	if t.root == nil {
		t.root = t.newNode(folder, n.entry)
	}
	dir := t.root
	for _, name := range parts[:len(parts)-1] {
		child := dir.children[name]
		if child != nil && child.kind == link {
			return t.refuse(n.entry, "it lies below %q, which is a symbolic link: build the layer again with the path that the link leads to", name)
		}
		if child == nil || child.kind != folder {
			t.drop(child)
			child = t.newNode(folder, n.entry)
			dir.children[name] = child
			if err := t.count(n.entry); err != nil {
				return err
			}
		}
		dir = child
	}
	name := parts[len(parts)-1]
	was := dir.children[name]
	if was != nil && was.kind == folder && n.kind == folder {
		was.layer, was.entry = t.layer, n.entry
		return nil
	}
	t.drop(was)
	dir.children[name] = n
	return t.count(n.entry)
}

// count counts a node.
func (t *Tree) count(entry string) error {
	if t.nodes++; t.nodes > t.limits.Files {
		return t.passed(entry, LimitFiles, t.limits.Files)
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

// find returns what is at a path below the folder, or nil. It follows no links.
func (t *Tree) find(parts []string) *node {
	n := t.root
	for _, name := range parts {
		if n == nil || n.kind != folder {
			return nil
		}
		n = n.children[name]
	}
	return n
}

// block notes that what is at a path at or above the folder is not a folder.
func (t *Tree) block(parts []string, what, entry string) {
	if t.root != nil {
		for _, child := range t.root.children {
			t.drop(child)
		}
	}
	t.root = nil
	t.obstacle = &obstacle{depth: len(parts), layer: t.layer, what: what, entry: entry}
}

// unblock notes that there is a folder at a path at or above the folder.
func (t *Tree) unblock(parts []string, entry string) {
	if t.obstacle != nil && t.obstacle.depth <= len(parts) {
		t.obstacle = nil
	}
	if len(parts) == len(t.at) && t.root == nil {
		t.root = t.newNode(folder, entry)
	} else if len(parts) == len(t.at) {
		t.root.layer = t.layer
	}
}
