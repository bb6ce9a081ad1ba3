package problem

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

// Key is a feature of bundles that atoms test for: the key of an index of bundles or of
// prohibitions.
type Key struct {
	kind keyKind
	id   int32
	text string
}

type keyKind uint8

const (
	keyPackage keyKind = iota // by number
	keyAPI                    // by number
	keyOwnName                // a package that the bundle declares to be of
	keyLabel
	keyType // of a property
	keyAnything
	keyProhibition // by Goal.Key
)

// Anything is the key of atoms that test for nothing in particular. All bundles have it.
var Anything = Key{kind: keyAnything}

// Prohibition is the key of a prohibition. Equal prohibitions have equal keys.
func Prohibition(ban *Goal) Key { return Key{kind: keyProhibition, text: ban.Key} }

// Keys yields the keys of an atom. A bundle that matches the atom has at least one of them.
func (a *Atom) Keys() iter.Seq[Key] {
	return func(yield func(Key) bool) {
		switch a.Kind {
		case AtomPackage:
			yield(Key{kind: keyPackage, id: a.Pkg})
		case AtomGVK:
			yield(Key{kind: keyAPI, id: a.GVK})
		default:
			for _, k := range a.Tested.keys {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// keysOf lists the keys of a constraint that is evaluated per bundle.
func keysOf(c constraints.Constraint) []Key {
	switch c := c.(type) {
	case *constraints.Label:
		return []Key{{kind: keyLabel, text: c.Label}}
	case *constraints.CEL:
		if c.Program == nil {
			return nil
		}
		needs, kind, texts := c.Program.Needs(), keyOwnName, []string(nil)
		switch {
		case needs.Never:
			return nil
		case needs.Packages != nil:
			texts = needs.Packages
		case needs.Types != nil:
			kind, texts = keyType, needs.Types
		default:
			return []Key{Anything}
		}
		keys := make([]Key, len(texts))
		for i, t := range texts {
			keys[i] = Key{kind: kind, text: t}
		}
		return keys
	default:
		return []Key{Anything}
	}
}

// KeysOf yields the keys of a bundle, some perhaps twice.
func (u *Universe) KeysOf(n NodeID) iter.Seq[Key] {
	return func(yield func(Key) bool) {
		nd := &u.Nodes[n]
		if !yield(Anything) || !yield(Key{kind: keyPackage, id: nd.Pkg}) {
			return
		}
		for _, g := range nd.GVKs {
			if !yield(Key{kind: keyAPI, id: g}) {
				return
			}
		}
		for p := range nd.Bundle.Properties.All() {
			var own Key
			switch v := p.Value().(type) {
			case properties.Package:
				own = Key{kind: keyOwnName, text: v.Name}
			case properties.Label:
				own = Key{kind: keyLabel, text: string(v)}
			default:
				own = Anything
			}
			if !yield(Key{kind: keyType, text: p.Type()}) || own != Anything && !yield(own) {
				return
			}
		}
	}
}

// Index finds the items of a list by their keys. The list grows and shrinks at its end; Grow and
// Shrink update the index.
type Index struct {
	byKey map[Key][]int32
	size  int
}

// Grow adds items up to a new size of the list.
func (x *Index) Grow(size int, keys func(i int) iter.Seq[Key]) {
	for ; x.size < size; x.size++ {
		if x.byKey == nil {
			x.byKey = make(map[Key][]int32)
		}
		i := int32(x.size)
		for k := range keys(x.size) {
			if list := x.byKey[k]; len(list) == 0 || list[len(list)-1] != i {
				x.byKey[k] = append(list, i)
			}
		}
	}
}

// Shrink removes the items beyond a new size of the list.
func (x *Index) Shrink(size int, keys func(i int) iter.Seq[Key]) {
	for x.size > size {
		x.size--
		i := int32(x.size)
		for k := range keys(x.size) {
			if list := x.byKey[k]; len(list) > 0 && list[len(list)-1] == i {
				x.byKey[k] = list[:len(list)-1]
			}
		}
	}
}

// Find returns the items that have one of some keys, in ascending order. The result is read-only
// and valid until the index changes.
func (x *Index) Find(keys iter.Seq[Key]) []int32 {
	var list []int32
	merged := false
	for k := range keys {
		switch items := x.byKey[k]; {
		case len(items) == 0:
		case len(list) == 0:
			list = items
		default:
			list, merged = slices.Concat(list, items), true
		}
	}
	if merged {
		slices.Sort(list)
		list = slices.Compact(list)
	}
	return list
}

// Has reports whether an item with a key satisfies a condition.
func (x *Index) Has(k Key, where func(i int32) bool) bool {
	return slices.ContainsFunc(x.byKey[k], where)
}
