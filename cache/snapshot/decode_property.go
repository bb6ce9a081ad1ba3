package snapshot

import (
	"github.com/seed109e2655/resolute/internal/saved"
	"github.com/seed109e2655/resolute/properties"
)

// typeOf is the type of the properties of each kind, empty where it differs.
var typeOf = [kinds]string{
	kindGVK: properties.TypeGVK, kindPackage: properties.TypePackage, kindPackageRequired: properties.TypePackageRequired,
	kindGVKRequired: properties.TypeGVKRequired, kindLabel: properties.TypeLabel, kindLabelRequired: properties.TypeLabelRequired,
	kindConstraint: properties.TypeConstraint, kindDeprecated: properties.TypeDeprecated, kindMaxOpenShift: properties.TypeMaxOpenShiftVersion,
}

// propertyKind is the properties of one kind while they are read.
type propertyKind struct {
	properties []properties.Property // to be filled in
	raws       [][]byte
	columns    [3][]uint32
	first      int // number of the first
}

// readProperties reads the properties, and what the indexes say of them.
func (d *decoder) readProperties() {
	var counts [kinds]int
	total := uint64(0)
	for k := range counts {
		counts[k] = d.count()
		total += uint64(counts[k])
	}
	if total >= maxCount {
		d.fail("it claims to hold more than %d things of a kind", maxCount)
		return
	}
	n := int(total)
	raws := d.raws(n)
	d.properties = slab[properties.Property](d.reader, n)
	d.spend(int64(n), 96) // by their values
	x := &d.columns
	x.API, x.Label, x.Type = slab[uint32](d.reader, n), slab[uint32](d.reader, n), slab[uint32](d.reader, n)
	if d.err != nil {
		return
	}
	for i := range n {
		x.API[i], x.Label[i] = saved.None, saved.None
	}
	at := 0
	for k := range kinds {
		t := propertyKind{properties: d.properties[at : at+counts[k]], raws: raws[at : at+counts[k]], first: at}
		at += counts[k]
		for c, to := range kindColumns[k] {
			t.columns[c] = d.column(counts[k], d.limits[to])
		}
		if d.err != nil {
			return
		}
		d.fill(k, &t)
	}
	d.limit(toProperty, n)
}

// fill makes the properties of a kind.
func (d *decoder) fill(k kind, t *propertyKind) {
	switch k {
	case kindOther:
		d.fillOther(t)
		return
	case kindGVK:
		d.indexAPIs(t)
	case kindLabel:
		d.columns.Labels = d.slots(d.columns.Label[t.first:], t.columns[0])
	}
	slot := uint32(len(d.columns.Types))
	if len(t.properties) > 0 {
		d.columns.Types = append(d.columns.Types, typeOf[k])
	}
	for i := range t.properties {
		d.columns.Type[t.first+i] = slot
		properties.Restore(&t.properties[i], typeOf[k], t.raws[i], d.value(k, t, i), d.mark)
	}
}

// value returns the value of a property.
func (d *decoder) value(k kind, t *propertyKind, i int) any {
	name := func(column int) string { return d.names[t.columns[column][i]] }
	switch k {
	case kindGVK:
		return properties.GVK{Group: name(0), Version: name(1), Kind: name(2)}
	case kindPackage:
		return properties.Package{Name: name(0), Version: d.versions[t.columns[1][i]], Release: properties.Release(d.texts[t.columns[2][i]])}
	case kindPackageRequired:
		return properties.PackageRequired{Name: name(0), Range: d.ranges[t.columns[1][i]]}
	case kindGVKRequired:
		return properties.GVKRequired{GVK: properties.GVK{Group: name(0), Version: name(1), Kind: name(2)}}
	case kindLabel:
		return properties.Label(name(0))
	case kindLabelRequired:
		return properties.LabelRequired(name(0))
	case kindConstraint:
		return properties.Constraint(t.raws[i])
	case kindDeprecated:
		return properties.Deprecated{}
	case kindMaxOpenShift:
		return properties.MaxOpenShiftVersion(d.texts[t.columns[0][i]])
	}
	return nil
}

// fillOther makes the properties of types that the library does not know.
func (d *decoder) fillOther(t *propertyKind) {
	d.columns.Types = d.slots(d.columns.Type[t.first:], t.columns[0])
	for _, typ := range d.columns.Types {
		for _, known := range typeOf {
			if typ == known { // also if it is empty
				d.fail("a property of type %q is none", typ)
			}
		}
	}
	for i := range t.properties {
		properties.Restore(&t.properties[i], d.names[t.columns[0][i]], t.raws[i], nil, d.mark)
	}
}

// slots numbers the distinct names of a column in the order in which they
// come, and returns them.
func (d *decoder) slots(into, column []uint32) (keys []string) {
	known := slab[uint32](d.reader, len(d.names))
	if d.err != nil || len(column) == 0 {
		return nil
	}
	for i, name := range column {
		if known[name] == 0 {
			keys = append(keys, d.names[name])
			known[name] = uint32(len(keys))
		}
		into[i] = known[name] - 1
	}
	return keys
}

// indexAPIs numbers the distinct APIs, which come in order.
func (d *decoder) indexAPIs(t *propertyKind) {
	x := &d.columns
	for i := range t.properties {
		if i > 0 {
			switch d.compareAPIs(t, i-1, i) {
			case 0:
				x.API[t.first+i] = uint32(len(x.APIs) - 1)
				continue
			case 1:
				d.fail("its APIs are not in order")
				return
			}
		}
		x.API[t.first+i] = uint32(len(x.APIs))
		x.APIs = append(x.APIs, properties.GVK{
			Group: d.names[t.columns[0][i]], Version: d.names[t.columns[1][i]], Kind: d.names[t.columns[2][i]],
		})
	}
}

// compareAPIs compares two APIs by the ranks of their names.
func (d *decoder) compareAPIs(t *propertyKind, i, j int) int {
	for _, column := range t.columns {
		switch {
		case column[i] < column[j]:
			return -1
		case column[i] > column[j]:
			return 1
		}
	}
	return 0
}
