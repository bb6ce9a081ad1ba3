package snapshot

// The body of a snapshot is a sequence of tables, each of which is a number of
// columns. The structs of this file hold the columns of a table while it is
// written or read; what they list, in this order, is what is in the file. A
// column of counts is followed, behind the table, by what it counts, for all
// rows one behind the other.

// target tells what the numbers of a column stand for.
type target uint8

const (
	toNumber        target = iota // a number, below 1<<31
	toName                        // a name: a text whose order matters
	toText                        // any other text
	toTextOrNone                  // 0, or 1 more than a text
	toVersion                     // a version
	toRange                       // a version range
	toRangeOrNone                 // 0, or 1 more than a version range
	toProperty                    // a property
	toRequirement                 // a constraint with the property that declares it
	toProblem                     // a problem
	toProblemOrNone               // 0, or 1 more than a problem
	toFlag                        // 0 or 1
	toTarget                      // the number of targets
)

// field is one column of a table.
type field struct {
	column *[]uint32
	to     target
}

// problemTable holds the distinct problems.
type problemTable struct {
	severity, code, catalog, pkg, channel, bundle, file, line, message, quarantined []uint32
}

func (t *problemTable) fields() []field {
	return []field{
		{&t.severity, toText}, {&t.code, toText}, {&t.catalog, toText}, {&t.pkg, toText}, {&t.channel, toText}, {&t.bundle, toText},
		{&t.file, toText}, {&t.line, toNumber}, {&t.message, toText}, {&t.quarantined, toText},
	}
}

// packageTable holds the packages, by name.
type packageTable struct {
	name, defaultChannel, deprecated, quarantine, file, line []uint32
	channels, bundles, problems                              []uint32 // how many
}

func (t *packageTable) fields() []field {
	return []field{
		{&t.name, toName}, {&t.defaultChannel, toName}, {&t.deprecated, toTextOrNone}, {&t.quarantine, toProblemOrNone},
		{&t.file, toText}, {&t.line, toNumber}, {&t.channels, toNumber}, {&t.bundles, toNumber}, {&t.problems, toNumber},
	}
}

// bundleTable holds the bundles of each package, by name.
type bundleTable struct {
	name, version, release, image, compatibility, barred, deprecated, quarantine, file, line []uint32
	properties, requirements                                                                 []uint32 // how many
}

func (t *bundleTable) fields() []field {
	return []field{
		{&t.name, toName}, {&t.version, toVersion}, {&t.release, toText}, {&t.image, toText}, {&t.compatibility, toTextOrNone}, {&t.barred, toFlag}, {&t.deprecated, toTextOrNone},
		{&t.quarantine, toProblemOrNone}, {&t.file, toText}, {&t.line, toNumber}, {&t.properties, toNumber}, {&t.requirements, toNumber},
	}
}

// channelTable holds the channels of each package, in their order.
type channelTable struct {
	name, deprecated, quarantine, file, line []uint32
	entries                                  []uint32 // how many
}

func (t *channelTable) fields() []field {
	return []field{
		{&t.name, toName}, {&t.deprecated, toTextOrNone}, {&t.quarantine, toProblemOrNone},
		{&t.file, toText}, {&t.line, toNumber}, {&t.entries, toNumber},
	}
}

// entryTable holds the entries of each channel, as declared.
type entryTable struct {
	name, replaces, skippedBy, skipRange []uint32
	bundle                               []uint32 // 0, or 1 more than its number in the package
	position                             []uint32 // 0, or 1 more than the position
	byName                               []uint32 // numbers of the entries of the channel, by name
	skips                                []uint32 // 0 for none at all, or 1 more than how many
}

func (t *entryTable) fields() []field {
	return []field{
		{&t.name, toName}, {&t.replaces, toName}, {&t.skippedBy, toName}, {&t.skipRange, toRangeOrNone},
		{&t.bundle, toNumber}, {&t.position, toNumber}, {&t.byName, toNumber}, {&t.skips, toNumber},
	}
}

// kind tells the properties apart, by the Go type of their value. Properties
// are numbered kind by kind; the raw JSON of all of them comes first, then the
// columns of each kind.
type kind uint8

const (
	kindOther           kind = iota // type
	kindGVK                         // group, version, kind; in ascending order
	kindPackage                     // name, version, release
	kindPackageRequired             // name, range
	kindGVKRequired                 // group, version, kind
	kindLabel                       // label
	kindLabelRequired               // label
	kindConstraint                  // nothing but the JSON
	kindDeprecated                  // nothing
	kindMaxOpenShift                // version as text
	kinds                           // the number of kinds
)

// kindColumns tells what the columns of each kind stand for.
var kindColumns = [kinds][]target{
	kindOther:           {toName},
	kindGVK:             {toName, toName, toName},
	kindPackage:         {toName, toVersion, toText},
	kindPackageRequired: {toName, toRange},
	kindGVKRequired:     {toName, toName, toName},
	kindLabel:           {toName},
	kindLabelRequired:   {toName},
	kindMaxOpenShift:    {toText},
}

// formula tells the kinds of constraints apart. They are written as trees: the
// kind, the message, what the kind has, then the number of children and the
// children.
type formula uint64

const (
	formulaGVK     formula = iota // group, version and kind
	formulaPackage                // name and range
	formulaLabel                  // label
	formulaCEL                    // rule, and what a bundle needs to match it
	formulaAll                    // children
	formulaAny                    // children
	formulaNot                    // children
)

// The needs of a rule: truth values in one number.
const (
	needsAnything = 1 << iota
	needsNever
	needsClusterOnly
	needsTypes    // a list of types follows
	needsPackages // a list of packages follows
	needsAll      = 1<<iota - 1
)
