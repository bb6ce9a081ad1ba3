package read

import (
	"bytes"

	"github.com/seed109e2655/resolute/properties"
)

// previous is what the last bundle declares: the next one mostly repeats it, and a
// property with the same text is the same property.
type previous struct {
	text []byte // of the properties, one behind the other
	list []previousProperty
	at   int // the one that is likely to come next
	set  properties.Set
}

// previousProperty is a property of the last bundle, and where its text ends.
type previousProperty struct {
	property *properties.Property
	end      int
}

// ahead is how many properties are looked at for the one that comes next.
const ahead = 4

// next returns the property with which a text begins, and the length of its own
// text, if the last bundle has it at about the same place.
func (b *previous) next(text []byte) (*properties.Property, int) {
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
func (b *previous) forget() { b.text, b.list = b.text[:0], b.list[:0] }

// add keeps a property of the bundle with its text, which is an object.
func (b *previous) add(text []byte, p *properties.Property) {
	if len(text) > maxShared {
		return
	}
	b.text = append(b.text, text...)
	b.list = append(b.list, previousProperty{p, len(b.text)})
}
