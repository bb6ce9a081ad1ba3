package snapshot

import (
	"slices"
	"strings"
)

// write writes the tables that were collected, in the order in which decoder
// reads them.
func (e *encoder) write(w *writer) {
	e.problems() // texts are known only after this
	e.rankNames()
	w.uint(uint64(len(e.names.list)))
	w.texts(e.names.list)
	w.uint(uint64(len(e.texts.list)))
	w.texts(e.texts.list)
	e.writeVersions(w)
	w.uint(uint64(len(e.ranges.list)))
	w.texts(e.ranges.list)
	e.properties.write(e, w)
	e.writeRequirements(w)

	w.uint(uint64(len(e.pool.list)))
	e.writeTable(w, e.problemTable.fields())
	w.uint(uint64(len(e.catalogProblems)))
	e.writeColumn(w, e.catalogProblems, toProblem)

	w.uint(uint64(len(e.packages.name)))
	e.writeTable(w, e.packages.fields())
	e.writeColumn(w, e.packageProblems, toProblem)
	e.writeTable(w, e.bundles.fields())
	e.writeColumn(w, e.bundleProperties, toProperty)
	e.writeColumn(w, e.bundleRequirements, toRequirement)
	e.writeTable(w, e.channels.fields())
	e.writeTable(w, e.entries.fields())
	e.writeColumn(w, e.skips, toName)
}

// problems fills in the table of problems.
func (e *encoder) problems() {
	t := &e.problemTable
	for _, p := range e.pool.list {
		for _, f := range []struct {
			column *[]uint32
			text   string
		}{
			{&t.severity, string(p.Severity)}, {&t.code, string(p.Code)}, {&t.catalog, p.Catalog}, {&t.pkg, p.Package},
			{&t.channel, p.Channel}, {&t.bundle, p.Bundle}, {&t.file, p.File}, {&t.message, p.Message}, {&t.quarantined, string(p.Quarantined)},
		} {
			*f.column = append(*f.column, e.texts.number(f.text))
		}
		t.line = append(t.line, e.count(p.Line))
	}
}

// rankNames sorts the names.
func (e *encoder) rankNames() {
	sorted := slices.Clone(e.names.list)
	slices.SortFunc(sorted, strings.Compare)
	for i, name := range sorted {
		e.names.numbers[name] = uint32(i)
	}
	e.ranks = make([]uint32, len(sorted))
	for i, name := range e.names.list {
		e.ranks[i] = e.names.numbers[name]
	}
	e.names.list = sorted
}

// writeTable writes all columns of a table.
func (e *encoder) writeTable(w *writer, fields []field) {
	for _, f := range fields {
		e.writeColumn(w, *f.column, f.to)
	}
}

// writeColumn writes a column, provisional numbers replaced.
func (e *encoder) writeColumn(w *writer, column []uint32, to target) {
	var final []uint32
	switch to {
	case toName:
		final = e.ranks
	case toProperty:
		final = e.properties.final
	default:
		w.column(column)
		return
	}
	replaced := make([]uint32, len(column))
	for i, v := range column {
		replaced[i] = final[v]
	}
	w.column(replaced)
}

// writeNames writes the ranks of names that stand outside of a column.
func (e *encoder) writeNames(w *writer, names ...string) {
	for _, name := range names {
		w.uint(uint64(e.names.numbers[name]))
	}
}

// writeVersions writes the versions.
func (e *encoder) writeVersions(w *writer) {
	n := len(e.versionList)
	numbers := [3][]uint64{make([]uint64, n), make([]uint64, n), make([]uint64, n)}
	pres, builds := make([]uint32, n), make([]uint32, n)
	var preNumeric, preText, buildText []uint32
	var preNumber []uint64
	for i, v := range e.versionList {
		numbers[0][i], numbers[1][i], numbers[2][i] = v.Major, v.Minor, v.Patch
		pres[i], builds[i] = uint32(len(v.Pre)), uint32(len(v.Build))
		for _, p := range v.Pre {
			preNumeric = append(preNumeric, flag(p.IsNum))
			preNumber = append(preNumber, p.VersionNum)
			preText = append(preText, e.versionTexts.number(p.VersionStr))
		}
		for _, b := range v.Build {
			buildText = append(buildText, e.versionTexts.number(b))
		}
	}
	w.uint(uint64(len(e.versionTexts.list)))
	w.texts(e.versionTexts.list)
	w.uint(uint64(n))
	for _, column := range numbers {
		w.wide(column)
	}
	w.column(pres)
	w.column(builds)
	w.column(preNumeric)
	w.wide(preNumber)
	w.column(preText)
	w.column(buildText)
}

// writeRequirements writes the requirements: their properties, then their
// constraints.
func (e *encoder) writeRequirements(w *writer) {
	w.uint(uint64(len(e.requirements.list)))
	e.writeColumn(w, e.requirements.properties, toProperty)
	for _, r := range e.requirements.list {
		e.constraint(w, r.Constraint)
	}
}
