package layer

import (
	"strings"

	"github.com/seed109e2655/resolute/cache/image/internal/store"
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
		if n := t.find(dir); n != nil {
			t.clear(n)
		}
	case strings.HasPrefix(name, reservedPrefix):
	default:
		name = strings.TrimPrefix(name, whiteoutPrefix)
		if name == "" || name == "." || name == ".." {
			return true, t.refuse(entry, "this whiteout names no file: build the layer again")
		}
		if in := t.find(dir); in != nil && in.children[name] != nil {
			t.clearIn(in, name)
		}
	}
	return true, nil
}

// clear removes what lower layers have below a node. Each folder is gone through once a
// layer at most.
func (t *Tree) clear(n *node) {
	if n.kind != store.Folder || n.cleared == t.layer {
		return
	}
	n.cleared = t.layer
	for name := range n.children {
		t.clearIn(n, name)
	}
}

// clearIn clears what a folder has under a name, and removes it if it is of a lower
// layer, with nothing of this layer below it.
func (t *Tree) clearIn(dir *node, name string) {
	n := dir.children[name]
	t.clear(n)
	if n.layer < t.layer && len(n.children) == 0 {
		t.nodes--
		delete(dir.children, name)
	}
}
