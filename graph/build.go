package graph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/text"
)

// Options are the options of [Build]. The zero value is the default.
type Options struct {
	// Catalog is set in every problem.
	Catalog string
	// Parser parses the constraints of bundles. Sharing one between packages
	// compiles each CEL rule once; nil means a new one.
	Parser *constraints.Parser
	// PackageName checks the name of a package; an error is a problem of the package
	// (packageNameInvalid), which quarantines nothing. Nil means that the name has to be a DNS label,
	// as opm requires; a function that returns nil accepts every name.
	PackageName func(name string) error
	// Terms are the nouns of problems.
	Terms Terms
	// MaxProblems limits the kept problems; one more has the number of dropped ones. 0 means
	// 10,000, a negative value no limit. Quarantine does not depend on it.
	MaxProblems int
	// Done, if it is set and closed while Build works, makes Build return
	// soon: the Done of a context, for large input. The package is then
	// incomplete and must be discarded.
	Done <-chan struct{}
}

// defaultMaxProblems is the default of Options.MaxProblems: more than anyone reads of one package,
// and a limit on the cost of untrusted input.
const defaultMaxProblems = 10_000

// Build builds a package from its declarations, by sections 2 and 10 of the semantics. It never
// fails: errors become Problems of the package, and unusable parts are quarantined. The package
// keeps none of the slices of d, but shares its strings and properties.
//
// A channel or bundle without a name is dropped, with a problem. Of duplicate declarations the
// first is kept, in quarantine.
func Build(d PackageDecl, opts Options) *Package {
	if opts.Parser == nil {
		opts.Parser = constraints.NewParser()
	}
	opts.MaxProblems = cmp.Or(opts.MaxProblems, defaultMaxProblems)
	return build(d, opts, func() bool {
		select {
		case <-opts.Done:
			return true
		default:
			return false // also if there is no channel
		}
	})
}

// build is Build with a function that reports whether to stop. A stopped build lacks bundles,
// channels, entries and order, but no pointer that a complete package always sets is nil.
func build(d PackageDecl, opts Options, done func() bool) *Package {
	b := &builder{opts: opts, done: done, pkg: &Package{Name: d.Name}}
	b.define(d)
	for _, stage := range []func(){
		func() { b.bundles(d.Bundles) },
		b.distinctVersions,
		func() { b.channels(d.Channels) },
		b.defaultChannel,
		b.places,
		func() { b.deprecations(d.Deprecations, d.DeprecationBlobs) },
	} {
		if stage(); done() {
			return b.pkg
		}
	}
	b.reportDropped(d)
	slices.SortFunc(b.pkg.Problems, Problem.Compare)
	b.pkg.Problems = slices.Clip(b.pkg.Problems)
	return b.pkg
}

// builder builds one package.
type builder struct {
	opts Options
	done func() bool // whether to stop
	pkg  *Package
	more int // number of dropped problems

	reports       int           // number of calls of report
	model         *Bundle       // a bundle without problems in its properties after the first
	file          *string       // of the last bundle that has one
	modelRequires []Requirement // of model, without those of its declaration
	before        []Requirement // of the last bundle
}

// reportDropped reports the number of dropped problems.
func (b *builder) reportDropped(d PackageDecl) {
	if b.more == 0 {
		return
	}
	kept := len(b.pkg.Problems)
	b.opts.MaxProblems = -1
	b.report(Problem{Severity: SeverityError, Code: codeMoreProblems, Message: fmt.Sprintf(
		"package %q has %d further problems: correct the first %d, and read it again", b.pkg.Name, b.more, kept)}, firstPos(d))
}

// maxMessage limits a message, in bytes: names in it are untrusted and may be of any length.
const maxMessage = 1 << 10

// report adds a problem of the package and returns a separate copy, so that a quarantined part does
// not keep all others in memory.
func (b *builder) report(p Problem, pos Pos) *Problem {
	b.reports++
	p.Catalog, p.Package = b.opts.Catalog, b.pkg.Name
	p.File, p.Line = pos.File, pos.Line
	p.Message = text.Clip(p.Message, maxMessage)
	if b.opts.MaxProblems > 0 && len(b.pkg.Problems) >= b.opts.MaxProblems {
		b.more++
		return &p
	}
	b.pkg.Problems = append(b.pkg.Problems, p)
	return &p
}

// refuse reports a flaw that opm refuses and a resolution can ignore.
func (b *builder) refuse(channel, bundle string, code Code, pos Pos, message string) {
	b.report(Problem{Severity: SeverityError, Code: code, Channel: channel, Bundle: bundle, Message: message}, pos)
}

// quarantine reports a problem that puts the package in quarantine.
func (b *builder) quarantine(code Code, pos Pos, message string) {
	q := b.report(Problem{Severity: SeverityError, Code: code, Message: message, Quarantined: scopePackage}, pos)
	if b.pkg.Quarantine == nil {
		b.pkg.Quarantine = q
	}
}

// checkLabel checks that a name is a DNS label by RFC 1123, as Kubernetes defines it: opm requires that
// of packages.
func checkLabel(name string) error {
	const most, letters = 63, "abcdefghijklmnopqrstuvwxyz0123456789-"
	if name != "" && len(name) <= most && strings.Trim(name, letters) == "" && name[0] != '-' && name[len(name)-1] != '-' {
		return nil
	}
	return errors.New("may have only lower-case letters, digits and hyphens between them, 63 at most: rename it")
}

// define reads the olm.package blobs; there must be exactly one.
func (b *builder) define(d PackageDecl) {
	if len(d.Definitions) == 0 {
		b.quarantine(codePackageMissing, firstPos(d), fmt.Sprintf(
			"package %q is not defined, though the catalog has channels or %s of it: add an olm.package blob, or correct the name", d.Name, text.Many(b.opts.Terms.bundle())))
		return
	}
	def := d.Definitions[0]
	b.pkg.DefaultChannel, b.pkg.Pos = def.DefaultChannel, def.Pos
	check := b.opts.PackageName
	if check == nil {
		check = checkLabel
	}
	if err := check(d.Name); err != nil {
		b.refuse("", "", codePackageNameInvalid, def.Pos, fmt.Sprintf("the name of package %q %v", d.Name, err))
	}
	for _, again := range d.Definitions[1:] {
		b.quarantine(codePackageDuplicate, again.Pos, fmt.Sprintf(
			"package %q is defined again, first at %s: remove all olm.package blobs of it but one", d.Name, def.Pos))
	}
	for _, def := range d.Definitions {
		for _, f := range def.Flaws {
			b.quarantine(cmp.Or(f.Code, codePackageInvalid), def.Pos.at(f.Line), f.Message)
		}
	}
}

// defaultChannel checks that the default channel exists. The package works without one: then none
// of its channels is preferred.
func (b *builder) defaultChannel() {
	p := b.pkg
	if p.Quarantine != nil {
		return // the definition is in doubt altogether
	}
	problem := Problem{Severity: SeverityError}
	switch {
	case len(p.Channels) == 0:
		problem.Code = codeNoChannels
		problem.Message = fmt.Sprintf("package %q has no channel, so nothing of it can be chosen: add an olm.channel blob", p.Name)
	case p.DefaultChannel == "":
		problem.Code = codeDefaultChannelMissing
		problem.Message = fmt.Sprintf("package %q names no default channel: set defaultChannel to one of its channels, %s", p.Name, quoteSome(channelNames(p)))
	case p.Channel(p.DefaultChannel) == nil:
		problem.Code = codeDefaultChannelUnknown
		problem.Message = fmt.Sprintf("the default channel %q of package %q does not exist: set defaultChannel to one of its channels, %s",
			p.DefaultChannel, p.Name, quoteSome(channelNames(p)))
	default:
		return
	}
	b.report(problem, p.Pos)
}

// places sets the places of each bundle, best first: the channels are already in that order.
// Bundles that no channel lists are reported.
func (b *builder) places() {
	first := make([]Place, 0, len(b.pkg.Bundles)) // of each bundle; never grows
	for _, c := range b.pkg.Channels {
		for position, bundle := range c.Candidates() {
			place := Place{Channel: c, Position: position}
			if len(bundle.Places) == 0 {
				first = append(first, place)
				bundle.Places = slices.Clip(first[len(first)-1:])
				continue
			}
			bundle.Places = append(bundle.Places, place)
		}
	}
	if len(first) == len(b.pkg.Bundles) {
		return
	}
	listed := make([]bool, len(b.pkg.Bundles))
	for _, c := range b.pkg.Channels {
		for i := range c.Entries {
			if n, ok := b.pkg.find(c.Entries[i].Name); ok {
				listed[n] = true
			}
		}
	}
	for i, bundle := range b.pkg.Bundles {
		if !listed[i] {
			b.report(Problem{Severity: SeverityWarning, Code: codeBundleUnlisted, Bundle: bundle.Name, Message: fmt.Sprintf(
				"%s %q is in no channel of package %q, so it is never chosen: list it in a channel, or remove it", b.opts.Terms.bundle(), bundle.Name, b.pkg.Name)}, bundle.Pos())
		}
	}
}

// usual is the size of most packages and channels: temporary lists up to this size are on the
// stack.
const usual = 32

// number appends the numbers from 0 to n-1.
func number(list []int32, n int) []int32 {
	list = slices.Grow(list, n)
	for i := range n {
		list = append(list, int32(i))
	}
	return list
}

// firstPos returns the position of some declaration of the package.
func firstPos(d PackageDecl) Pos {
	switch {
	case len(d.Definitions) > 0:
		return d.Definitions[0].Pos
	case len(d.Channels) > 0:
		return d.Channels[0].Pos
	case len(d.Bundles) > 0:
		return d.Bundles[0].Pos
	case len(d.Deprecations) > 0:
		return d.Deprecations[0].Pos
	}
	return Pos{}
}

// channelNames returns the names of the channels in order.
func channelNames(p *Package) []string {
	return text.Each(p.Channels, func(c *Channel) string { return c.Name })
}

// maxNamed limits the names in a sentence, and maxQuoted the bytes of a quoted name or text.
const (
	maxNamed  = 5
	maxQuoted = 80
)

// few lists names in a sentence.
func few(names []string) string { return text.Short(text.Names(names), maxNamed) }

// quoteSome lists names in a message, where all are quoted.
func quoteSome(names []string) string {
	return text.Short(text.Each(names, func(n string) string { return text.Quote(text.Clip(n, maxQuoted)) }), maxNamed)
}
