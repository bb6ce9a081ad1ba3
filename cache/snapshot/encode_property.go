package snapshot

import (
	"slices"

	"github.com/seed109e2655/resolute/properties"
)

// propertyEncoder numbers the distinct properties: as they come at first, then
// kind by kind.
type propertyEncoder struct {
	known map[*properties.Property]uint32 // most come many times
	equal map[string]uint32               // by type and value
	list  []savedProperty
	final []uint32 // the number in the file of each in the list
}

// savedProperty is a property and its row in the table of its kind.
type savedProperty struct {
	*properties.Property
	kind kind
	row  []uint32
}

// number returns the provisional number of a property.
func (pe *propertyEncoder) number(e *encoder, p *properties.Property) uint32 {
	if n, ok := pe.known[p]; ok {
		return n
	}
	if pe.known == nil {
		pe.known, pe.equal = map[*properties.Property]uint32{}, map[string]uint32{}
	}
	text := p.Type() + "\x00" + string(p.Raw())
	n, ok := pe.equal[text]
	if !ok {
		n = uint32(len(pe.list))
		pe.equal[text] = n
		k, row := e.propertyRow(p)
		pe.list = append(pe.list, savedProperty{p, k, row})
	}
	pe.known[p] = n
	return n
}

// propertyRow returns the kind of a property and what its columns hold.
func (e *encoder) propertyRow(p *properties.Property) (kind, []uint32) {
	name := e.names.number
	switch v := p.Value().(type) {
	case properties.GVK:
		return kindGVK, []uint32{name(v.Group), name(v.Version), name(v.Kind)}
	case properties.Package:
		return kindPackage, []uint32{name(v.Name), e.version(v.Version), e.texts.number(string(v.Release))}
	case properties.PackageRequired:
		return kindPackageRequired, []uint32{name(v.Name), e.ranges.number(v.Range.String())}
	case properties.GVKRequired:
		return kindGVKRequired, []uint32{name(v.Group), name(v.Version), name(v.Kind)}
	case properties.Label:
		return kindLabel, []uint32{name(string(v))}
	case properties.LabelRequired:
		return kindLabelRequired, []uint32{name(string(v))}
	case properties.Constraint:
		return kindConstraint, nil
	case properties.Deprecated:
		return kindDeprecated, nil
	case properties.MaxOpenShiftVersion:
		return kindMaxOpenShift, []uint32{e.texts.number(string(v))}
	case nil:
		return kindOther, []uint32{name(p.Type())}
	}
	e.unfit("it has a property of type %q with a value of the Go type %T", p.Type(), p.Value())
	return kindOther, []uint32{0}
}

// finish puts the properties into the order of the file.
func (pe *propertyEncoder) finish() {
	order := make([]uint32, len(pe.list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(i, j uint32) int {
		a, b := &pe.list[i], &pe.list[j]
		if a.kind != b.kind {
			return int(a.kind) - int(b.kind)
		}
		if a.kind != kindGVK {
			return 0
		}
		return a.Value().(properties.GVK).Compare(b.Value().(properties.GVK))
	})
	pe.final = make([]uint32, len(order))
	list := make([]savedProperty, len(order))
	for at, i := range order {
		pe.final[i] = uint32(at)
		list[at] = pe.list[i]
	}
	pe.list = list
}

// write writes the properties.
func (pe *propertyEncoder) write(e *encoder, w *writer) {
	var counts [kinds]uint64
	lengths := make([]uint32, len(pe.list))
	for i := range pe.list {
		counts[pe.list[i].kind]++
		lengths[i] = e.count(len(pe.list[i].Raw()))
	}
	for _, n := range counts {
		w.uint(n)
	}
	w.column(lengths)
	for i := range pe.list {
		w.buf = append(w.buf, pe.list[i].Raw()...)
	}
	at := 0
	for k, columns := range kindColumns {
		rows := pe.list[at : at+int(counts[k])]
		at += len(rows)
		for c, to := range columns {
			column := make([]uint32, len(rows))
			for i := range rows {
				column[i] = rows[i].row[c]
			}
			e.writeColumn(w, column, to)
		}
	}
}
