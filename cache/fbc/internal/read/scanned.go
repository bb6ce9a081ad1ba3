package read

import (
	"bytes"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// name is the name of a member that blobs have, or items of their lists.
type name int

const (
	nameSchema name = iota
	nameName
	namePackage
	nameImage
	nameDefaultChannel
	nameEntries
	nameProperties
	nameRelatedImages
	nameReplaces
	nameSkipRange
	nameSkips
	nameType
	nameValue
	nameReference
	nameMessage
	nameCount
)

var names = [nameCount]string{"schema", "name", "package", "image", "defaultChannel", "entries", "properties", "relatedImages",
	"replaces", "skipRange", "skips", "type", "value", "reference", "message"}

// shapes has the names by their first letter and their length, of which no two have both.
var shapes = func() (all [32][16]name) {
	for n, text := range names {
		all[text[0]%32][len(text)] = name(n)
	}
	return all
}()

// nameOf returns the name that a text is, or -1 for any other.
func nameOf(text []byte) name {
	if len(text) == 0 || len(text) >= len(shapes[0]) {
		return -1
	}
	if n := shapes[text[0]%32][len(text)]; names[n] == string(text) {
		return n
	}
	return -1
}

// object is an object of JSON: where it is, and where the values of its members are. An item
// of a list that is not an object has its place alone.
type object struct {
	span
	values [nameCount]span      // empty for one that is absent
	twice  bool                 // a member is given more than once
	known  *properties.Property // that an item is, if it is known from the bundle before
}

// scanned is a blob and the objects in its lists, scanned alike for every schema: a blob may
// name its schema last.
type scanned struct {
	object
	entries, properties []object

	most    int // how many items of a list are kept, and one more
	scanner quickjson.Scanner
	last    lastBundle
}

// span is a part of a text.
type span = quickjson.Span

// scan reads the object that begins at i in the scanner's text, and returns where
// it ends.
func (s *scanned) scan(i int) (end int, ok bool) {
	s.object, s.entries, s.properties, s.last.at = object{}, s.entries[:0], s.properties[:0], 0
	in, ok := s.scanner.Open(i)
	ok = ok && s.members(&in, &s.object, true)
	s.span = span{From: i, To: in.End}
	return in.End, ok
}

// members reads the members of an object, and the items of its lists if it is a blob.
func (s *scanned) members(in *quickjson.Inside, o *object, blob bool) bool {
	for in.Begin() {
		n := nameOf(quickjson.Unquote(in.Name.Of(s.scanner.Text)))
		var list *[]object
		items, ok := in.Open()
		if ok && blob && n >= 0 && o.values[n].To == 0 && s.scanner.Text[in.Value.From] == '[' {
			list = s.list(n)
		}
		switch {
		case list == nil && !in.Skip():
			return false
		case list != nil && !(s.items(&items, list) && in.Leave(&items)):
			return false
		}
		switch {
		case n < 0:
		case o.values[n].To > 0:
			o.twice = true
		default:
			o.values[n] = in.Value
		}
	}
	return in.Closed
}

// list returns where the items of a list are kept, nil if they are not.
func (s *scanned) list(n name) *[]object {
	switch n {
	case nameEntries:
		return &s.entries
	case nameProperties:
		return &s.properties
	}
	return nil
}

// items reads the items of a list. Properties that the bundle before has as well need
// no second look.
func (s *scanned) items(in *quickjson.Inside, list *[]object) bool {
	for in.Begin() {
		if len(*list) <= s.most {
			*list = append(*list, object{})
		}
		o, length := &(*list)[len(*list)-1], 0
		if list == &s.properties {
			o.known, length = s.last.next(s.scanner.Text[in.Value.From:])
		}
		switch members, ok := in.Open(); {
		case length > 0:
			in.Pass(length)
		case ok && s.scanner.Text[in.Value.From] == '{':
			if !s.members(&members, o, false) || !in.Leave(&members) {
				return false
			}
		case !in.Skip():
			return false
		}
		o.span = in.Value
	}
	return in.Closed
}

// lastBundle is what the last bundle declares: the next one mostly repeats it, and a
// property with the same text is the same property.
type lastBundle struct {
	text []byte // of the properties, one behind the other
	list []lastProperty
	at   int // the one that is likely to come next
	sets properties.Interner
}

// lastProperty is a property of the last bundle, and where its text ends.
type lastProperty struct {
	property *properties.Property
	end      int
}

// ahead is how many properties are looked at for the one that comes next.
const ahead = 4

// next returns the property with which a text begins, and the length of its own
// text, if the last bundle has it at about the same place.
func (b *lastBundle) next(text []byte) (*properties.Property, int) {
	for i := b.at; i < min(b.at+ahead, len(b.list)); i++ {
		from := 0
		if i > 0 {
			from = b.list[i-1].end
		}
		if own := b.text[from:b.list[i].end]; bytes.HasPrefix(text, own) {
			b.at = i + 1
			return b.list[i].property, len(own)
		}
	}
	return nil, 0
}

// forget makes room for another bundle.
func (b *lastBundle) forget() { b.text, b.list = b.text[:0], b.list[:0] }

// add keeps a property of the bundle with its text, which is an object.
func (b *lastBundle) add(text []byte, p *properties.Property) {
	if len(text) > maxShared {
		return
	}
	b.text = append(b.text, text...)
	b.list = append(b.list, lastProperty{p, len(b.text)})
}

// isNull reports whether a JSON value is null, which stands for an absent field.
func isNull(raw []byte) bool { return len(raw) > 0 && raw[0] == 'n' }
