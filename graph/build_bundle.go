package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// bundles builds the bundles, sorted by name, one for each name.
func (b *builder) bundles(decls []BundleDecl) {
	var room [usual]int32
	order := room[:0]
	for i := range decls {
		if decls[i].Name == "" {
			b.report(Problem{Severity: SeverityError, Code: codeBundleInvalid, Quarantined: scopeBundle, Message: fmt.Sprintf(
				"%s of package %q has no name and is ignored: give it one", text.A(b.opts.Terms.bundle()), b.pkg.Name)}, decls[i].Pos)
			continue
		}
		order = append(order, int32(i))
	}
	slices.SortStableFunc(order, func(i, j int32) int { return strings.Compare(decls[i].Name, decls[j].Name) })
	all := make([]Bundle, 0, len(order)) // never grows: pointers into it stay good
	b.pkg.Bundles = make([]*Bundle, 0, len(order))
	for _, i := range order {
		if b.done() {
			return
		}
		d := &decls[i]
		if n := len(all); n > 0 && all[n-1].Name == d.Name {
			first := &all[n-1]
			b.quarantineBundle(first, codeBundleDuplicate, d.Pos, fmt.Sprintf(
				"%s %q is declared again in package %q, first at %s: remove all but one", b.opts.Terms.bundle(), d.Name, b.pkg.Name, first.Pos()))
			continue
		}
		all = append(all, Bundle{ID: -1, line: line32(d.Pos.Line), Order: i, Package: b.pkg.Name, Name: d.Name, Image: d.Image,
			Properties: d.Properties, Compatibility: d.Compatibility, Metadata: d.Metadata, Payload: d.Payload, file: b.fileOf(d)})
		bundle := &all[len(all)-1]
		b.pkg.Bundles = append(b.pkg.Bundles, bundle)
		b.checkBundle(bundle, d)
		b.before = bundle.Constraints
		for _, c := range d.Requires {
			bundle.Constraints = append(slices.Clip(bundle.Constraints), Requirement{Constraint: c})
		}
	}
}

// fileOf returns the file of a bundle; bundles of one file share the string.
func (b *builder) fileOf(d *BundleDecl) *string {
	if d.Pos.File != "" && (b.file == nil || *b.file != d.Pos.File) {
		own := d.Pos.File
		b.file = &own
	}
	if d.Pos.File == "" {
		return nil
	}
	return b.file
}

// line32 returns a line as a bundle stores it.
func line32(line int) int32 { return int32(max(0, min(line, math.MaxInt32))) }

// quarantineBundle reports a problem that quarantines the bundle.
func (b *builder) quarantineBundle(bundle *Bundle, code Code, pos Pos, message string) {
	q := b.report(Problem{Severity: SeverityError, Code: code, Bundle: bundle.Name, Message: message, Quarantined: scopeBundle}, pos)
	if bundle.Quarantine == nil {
		bundle.Quarantine = q
	}
}

// checkBundle sets the fields that come from properties, and reports problems.
func (b *builder) checkBundle(bundle *Bundle, d *BundleDecl) {
	lost := false // the olm.package property is there, but does not parse
	for _, f := range d.Flaws {
		if f.Harmless {
			b.refuse("", bundle.Name, f.Code, d.Pos.at(f.Line), f.Message)
			continue
		}
		b.quarantineBundle(bundle, cmp.Or(f.Code, codeBundleInvalid), d.Pos.at(f.Line), f.Message)
		lost = lost || f.Property == properties.TypePackage
	}
	switch {
	case d.Version != nil:
		bundle.Version, bundle.Release, bundle.Unread = d.Version, d.Release, true
	case !b.likeModel(bundle, d):
		b.checkProperties(bundle, d)
	}
	if bundle.Version == nil {
		bundle.Version = new(semver.Version)
		if !lost {
			b.quarantineBundle(bundle, codePackagePropertyMissing, d.Pos, fmt.Sprintf(
				"%s %q has no %s property, so its version is unknown: add one", b.opts.Terms.bundle(), bundle.Name, properties.TypePackage))
		}
	}
}

// sameRest reports whether both sets have identical properties, except for the first.
func sameRest(a, b properties.Set) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := 1; i < a.Len(); i++ {
		if a.At(i) != b.At(i) {
			return false
		}
	}
	return true
}

// likeModel copies the results of the properties from a previous bundle if they are the same except
// for the first, which is common. It returns false otherwise.
func (b *builder) likeModel(bundle *Bundle, d *BundleDecl) bool {
	if b.model == nil || d.Properties.Len() == 0 || d.Properties.At(0).Version() == nil || !sameRest(d.Properties, b.model.Properties) {
		return false
	}
	b.checkPackage(bundle, d.Properties.At(0), 1, d.posOf(0))
	bundle.Constraints = slices.Clip(b.modelRequires)
	b.checkCompatibility(bundle, d.Pos.at(d.CompatibilityLine))
	return true
}

// checkProperties evaluates each property.
func (b *builder) checkProperties(bundle *Bundle, d *BundleDecl) {
	seen, limits, metadata, silent := 0, 0, false, 0
	var room [usual / 4]Requirement
	required := room[:0]
	for i := range d.Properties.Len() {
		property, pos := d.Properties.At(i), d.posOf(i)
		if i <= 1 {
			silent = b.reports
		}
		if property.Version() != nil {
			seen++
			b.checkPackage(bundle, property, seen, pos)
			continue
		}
		switch property.Type() {
		case properties.TypeDeprecated:
			bundle.Barred = true
		case properties.TypeMaxOpenShiftVersion:
			limits++
			value, _ := property.Value().(properties.MaxOpenShiftVersion)
			b.checkMaxOpenShift(bundle, value, limits, pos)
		case properties.TypeCSVMetadata:
			metadata = true
		case properties.TypeGVKRequired, properties.TypePackageRequired, properties.TypeLabelRequired, properties.TypeConstraint:
			if b.done() { // rules take a while to compile
				return
			}
			required = b.require(required, bundle, property, pos)
		}
	}
	bundle.Constraints = append(bundle.Constraints, required...)
	if bundle.Compatibility == nil && (metadata || limits > 0) {
		bundle.Compatibility = d.Properties.Compatibility()
	}
	if bundle.Metadata == nil && metadata {
		bundle.Metadata = d.Properties.Metadata()
	}
	if seen == 1 && d.Properties.At(0).Version() != nil && b.reports == silent && limits == 0 && !metadata && !bundle.Barred {
		b.model, b.modelRequires = bundle, bundle.Constraints
	}
	b.checkCompatibility(bundle, d.Pos.at(d.CompatibilityLine))
}

// checkPackage checks one olm.package property, the n-th of the bundle.
func (b *builder) checkPackage(bundle *Bundle, property *properties.Property, n int, pos Pos) {
	value, _ := property.Package()
	switch n {
	case 1:
		if bundle.Version = property.Version(); value.Release != "" {
			bundle.Release = value.Release
		}
	case 2:
		b.quarantineBundle(bundle, codePackagePropertySeveral, pos, fmt.Sprintf(
			"%s %q has several %s properties: remove all but one", b.opts.Terms.bundle(), bundle.Name, properties.TypePackage))
	}
	if n == 1 && value.Release != "" {
		b.checkRelease(bundle, pos)
	}
	if n == 1 && value.Name != bundle.Package {
		b.quarantineBundle(bundle, codePackageMismatch, pos, fmt.Sprintf(
			"%s %q is declared in package %q, but its %s property names package %q: make them agree",
			b.opts.Terms.bundle(), bundle.Name, bundle.Package, properties.TypePackage, value.Name))
	}
}

// checkRelease checks a bundle with a release against the rules of opm.
func (b *builder) checkRelease(bundle *Bundle, pos Pos) {
	if normal := fmt.Sprintf("%s-v%s-%s", bundle.Package, bundle.Version, bundle.Release); bundle.Name != normal {
		b.refuse("", bundle.Name, codeReleaseNotNormalized, pos, fmt.Sprintf(
			"%s %q has the release %q, so that its name has to be %q: rename it", b.opts.Terms.bundle(), bundle.Name, bundle.Release, normal))
	}
	if len(bundle.Version.Build) > 0 {
		b.refuse("", bundle.Name, codeReleaseBesideBuild, pos, fmt.Sprintf(
			"%s %q has the release %q and a version with build metadata, %s: remove one of them", b.opts.Terms.bundle(), bundle.Name, bundle.Release, bundle.Version))
	}
}

// distinctVersions reports bundles with equal version and release.
func (b *builder) distinctVersions() {
	var room [usual]int32
	order := room[:0]
	for i, bundle := range b.pkg.Bundles {
		if !bundle.Unread {
			order = append(order, int32(i))
		}
	}
	compare := func(i, j int32) int { return b.pkg.Bundles[i].CompareVersion(b.pkg.Bundles[j]) }
	slices.SortFunc(order, compare)
	distinct := true
	for i := range max(0, len(order)-1) {
		distinct = distinct && compare(order[i], order[i+1]) != 0
	}
	if distinct {
		return
	}
	plain, odd := make(map[[3]uint64]int, len(b.pkg.Bundles)), map[string]int{} // three numbers alone, or anything else
	for i, bundle := range b.pkg.Bundles {
		if _, versioned := bundle.Properties.Package(); !versioned {
			continue
		}
		first, seen := 0, false
		if v := bundle.Version; len(v.Pre)+len(v.Build) > 0 || bundle.Release != "" {
			first, seen = firstOf(odd, bundle.VersionText(), i)
		} else {
			first, seen = firstOf(plain, [3]uint64{v.Major, v.Minor, v.Patch}, i)
		}
		if !seen {
			continue
		}
		before := b.pkg.Bundles[first]
		b.refuse("", bundle.Name, codeVersionDuplicate, bundle.Pos(), fmt.Sprintf(
			"%s %q of package %q has the version %s, as %q has: give each its own, or a release", b.opts.Terms.bundle(), bundle.Name, b.pkg.Name, bundle.VersionText(), before.Name))
	}
}

// firstOf returns the value of a key in a map, or adds one.
func firstOf[K comparable](m map[K]int, key K, value int) (first int, seen bool) {
	if first, seen = m[key]; !seen {
		m[key] = value
	}
	return first, seen
}

// checkCompatibility reports invalid parts of the metadata, which is at pos.
func (b *builder) checkCompatibility(bundle *Bundle, pos Pos) {
	c := bundle.Compatibility
	if c == nil {
		return
	}
	doubt := func(format string, args ...any) {
		b.report(Problem{Severity: SeverityWarning, Code: codeCompatibilityInvalid, Bundle: bundle.Name,
			Message: fmt.Sprintf(format, args...)}, pos)
	}
	if m := c.MinKubeVersion; m.Invalid != "" {
		doubt("%s %q has the minKubeVersion %q, which %s, so that it fits no cluster whose version is known: correct it", b.opts.Terms.bundle(), bundle.Name, m.Text, m.Invalid)
	}
	for _, what := range c.Malformed {
		doubt("the metadata of %s %q cannot be used in full: it %s; correct it", b.opts.Terms.bundle(), bundle.Name, what)
	}
}

// checkMaxOpenShift checks one olm.maxOpenShiftVersion property, the n-th of the bundle.
func (b *builder) checkMaxOpenShift(bundle *Bundle, value properties.MaxOpenShiftVersion, n int, pos Pos) {
	p := Problem{Severity: SeverityWarning, Code: codeCompatibilityInvalid, Bundle: bundle.Name}
	if _, err := value.Parse(); n > 1 {
		p.Message = fmt.Sprintf("%s %q has several %s properties, so that it counts as fitting no OpenShift at all: remove all but one",
			b.opts.Terms.bundle(), bundle.Name, properties.TypeMaxOpenShiftVersion)
	} else if err != nil {
		p.Message = fmt.Sprintf("%s %q has an %s property %s, which %s, so that it counts as fitting no OpenShift at all: correct it",
			b.opts.Terms.bundle(), bundle.Name, properties.TypeMaxOpenShiftVersion, text.Quote(text.Clip(string(value), maxQuoted)), err)
	} else {
		return
	}
	b.report(p, pos)
}

// require appends the constraint of a property to those of the bundle before it.
func (b *builder) require(before []Requirement, bundle *Bundle, property *properties.Property, pos Pos) []Requirement {
	c, ok, err := b.constraint(property, len(before))
	switch {
	case err != nil:
		b.quarantineBundle(bundle, codeConstraintInvalid, pos, fmt.Sprintf("%s %q has a constraint that cannot be used: %s", b.opts.Terms.bundle(), bundle.Name, oneLine(err)))
		return before
	case !ok:
		return before
	}
	for _, w := range constraints.Warnings(c) {
		b.report(Problem{Severity: SeverityWarning, Code: codeConstraintDoubtful, Bundle: bundle.Name,
			Message: fmt.Sprintf("%s %q has a suspicious constraint: %s", b.opts.Terms.bundle(), bundle.Name, w)}, pos)
	}
	return append(before, Requirement{Constraint: c, Property: property})
}

// constraint returns the constraint of a property as number n of a bundle. It shares that of the
// previous bundle for an equal property at about the same position.
func (b *builder) constraint(property *properties.Property, n int) (constraints.Constraint, bool, error) {
	const ahead = 4
	for i := n; i < min(n+ahead, len(b.before)); i++ {
		if b.before[i].Property == property {
			return b.before[i].Constraint, true, nil
		}
	}
	return b.opts.Parser.FromProperty(property)
}

// oneLine renders an error, including joined ones, on one line, shortened if it quotes long input.
func oneLine(err error) string {
	const most = 300
	return text.Clip(strings.ReplaceAll(err.Error(), "\n", "; "), most)
}
