package layer

import (
	"slices"
	"strings"
)

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
func (t *Tree) whiteout(parts []string, entry string) (bool, error) {
	if len(parts) == 0 {
		return false, nil
	}
	dir, name := parts[:len(parts)-1], parts[len(parts)-1]
	switch {
	case !strings.HasPrefix(name, whiteoutPrefix):
		return false, nil
	case name == opaqueName:
		t.hideBelow(dir)
	case strings.HasPrefix(name, reservedPrefix):
	default:
		name = strings.TrimPrefix(name, whiteoutPrefix)
		if name == "" || name == "." || name == ".." {
			return true, t.refuse(entry, "this whiteout names no file: build the layer again")
		}
		t.hide(append(slices.Clone(dir), name))
	}
	return true, nil
}

// hide hides what lower layers have at a path.
func (t *Tree) hide(parts []string) {
	switch t.locate(parts) {
	case outside:
	case above:
		t.hideObstacle(len(parts))
		if t.root != nil && t.clear(t.root) {
			t.root = nil
		}
	case below:
		rel := parts[len(t.at):]
		dir := t.find(rel[:len(rel)-1])
		if dir == nil || dir.kind != folder {
			return
		}
		name := rel[len(rel)-1]
		if n := dir.children[name]; n != nil && t.clear(n) {
			t.nodes--
			delete(dir.children, name)
		}
	}
}

// hideBelow hides what lower layers have below a path.
func (t *Tree) hideBelow(parts []string) {
	switch t.locate(parts) {
	case outside:
	case above:
		t.hideObstacle(len(parts) + 1)
		if t.root == nil {
			return
		}
		if gone := t.clear(t.root); gone && len(parts) < len(t.at) {
			t.root = nil
		}
	case below:
		if n := t.find(parts[len(t.at):]); n != nil && n.kind == folder {
			t.clear(n)
		}
	}
}

// hideObstacle removes an obstacle of a lower layer that is at least so deep.
func (t *Tree) hideObstacle(depth int) {
	if t.obstacle != nil && t.obstacle.layer < t.layer && t.obstacle.depth >= depth {
		t.obstacle = nil
	}
}

// clear removes what lower layers have below a node, and reports whether the
// node itself is theirs, with nothing of this layer below it. Each folder is
// gone through once a layer at most.
func (t *Tree) clear(n *node) bool {
	if n.kind == folder && n.cleared != t.layer {
		n.cleared = t.layer
		for name, child := range n.children {
			if t.clear(child) {
				t.nodes--
				delete(n.children, name)
			}
		}
	}
	return n.layer < t.layer && len(n.children) == 0
}
