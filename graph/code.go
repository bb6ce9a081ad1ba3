package graph

// Code is the kind of a [Problem]. Codes are stable: a code may be added,
// but none changes its meaning. Readers of catalogs define further ones.
type Code string

// CodeMoreProblems means that there are more problems in one place than are kept.
const CodeMoreProblems Code = "moreProblems"

// Problems that quarantine a package.
const (
	// CodePackageMissing: channels or bundles name a package that no
	// olm.package blob defines.
	CodePackageMissing Code = "packageMissing"
	// CodePackageDuplicate: several olm.package blobs define the package.
	CodePackageDuplicate Code = "packageDuplicate"
	// CodePackageInvalid: the olm.package blob itself is malformed.
	CodePackageInvalid Code = "packageInvalid"
)

// Problems of a package that quarantine nothing.
const (
	// CodeDefaultChannelMissing: the package names no default channel. It
	// works, but none of its channels is preferred.
	CodeDefaultChannelMissing Code = "defaultChannelMissing"
	// CodeDefaultChannelUnknown: the default channel does not exist. The
	// package works, but none of its channels is preferred.
	CodeDefaultChannelUnknown Code = "defaultChannelUnknown"
	// CodeNoChannels: the package has no channel, so nothing of it can be
	// chosen.
	CodeNoChannels Code = "noChannels"
	// CodeDeprecationUnknown: an olm.deprecations entry references nothing
	// that exists. It is ignored (a warning).
	CodeDeprecationUnknown Code = "deprecationUnknown"
	// CodeDeprecationDuplicate: an olm.deprecations entry references what an
	// earlier one did. It is ignored (a warning).
	CodeDeprecationDuplicate Code = "deprecationDuplicate"
)

// Problems that quarantine a channel.
const (
	// CodeChannelInvalid: the olm.channel blob or one of its entries is
	// malformed.
	CodeChannelInvalid Code = "channelInvalid"
	// CodeChannelDuplicate: several olm.channel blobs define the channel.
	CodeChannelDuplicate Code = "channelDuplicate"
	// CodeChannelEmpty: the channel has no entries.
	CodeChannelEmpty Code = "channelEmpty"
	// CodeEntryDuplicate: two entries of the channel have the same name.
	CodeEntryDuplicate Code = "entryDuplicate"
	// CodeNoHead: each entry is replaced or skipped by another.
	CodeNoHead Code = "noHead"
	// CodeSeveralHeads: several entries are replaced or skipped by none.
	CodeSeveralHeads Code = "severalHeads"
	// CodeReplacesCycle: entries replace each other in a circle.
	CodeReplacesCycle Code = "replacesCycle"
)

// Problems of a channel that quarantine nothing. They are warnings unless they
// say otherwise.
const (
	// CodeSkipRangeInvalid: the skipRange of an entry does not parse. It is
	// ignored, and the entry is what it would be without it (an error).
	CodeSkipRangeInvalid Code = "skipRangeInvalid"
	// CodeEntryWithoutBundle: the catalog lacks the bundle of an entry, which
	// becomes a virtual node: it carries the chain and is never chosen.
	CodeEntryWithoutBundle Code = "entryWithoutBundle"
	// CodeChainLeaves: the last entry of the chain replaces one that is not in
	// the channel. It is usual where a channel continues another.
	CodeChainLeaves Code = "chainLeaves"
	// CodeEntryStranded: an entry is neither on the chain nor skipped, so it
	// is never chosen.
	CodeEntryStranded Code = "entryStranded"
	// CodeSkipsItself: an entry skips itself, which means nothing.
	CodeSkipsItself Code = "skipsItself"
)

// Problems that quarantine a bundle.
const (
	// CodeBundleInvalid: the olm.bundle blob is malformed.
	CodeBundleInvalid Code = "bundleInvalid"
	// CodeBundleDuplicate: several olm.bundle blobs of the package have this
	// name.
	CodeBundleDuplicate Code = "bundleDuplicate"
	// CodePropertyInvalid: a property does not parse.
	CodePropertyInvalid Code = "propertyInvalid"
	// CodeConstraintInvalid: a constraint does not parse or compile.
	CodeConstraintInvalid Code = "constraintInvalid"
	// CodePackagePropertyMissing: the bundle has no olm.package property, so
	// its version is unknown.
	CodePackagePropertyMissing Code = "packagePropertyMissing"
	// CodePackagePropertySeveral: the bundle has several olm.package
	// properties.
	CodePackagePropertySeveral Code = "packagePropertySeveral"
	// CodePackageMismatch: the olm.package property names another package
	// than the blob does.
	CodePackageMismatch Code = "packageMismatch"
)

// Warnings about a bundle. They quarantine nothing.
const (
	// CodeBundleUnlisted: no channel lists the bundle, so it is never chosen.
	CodeBundleUnlisted Code = "bundleUnlisted"
	// CodeConstraintDoubtful: a constraint is valid, but hardly meant: an
	// empty all, any or not.
	CodeConstraintDoubtful Code = "constraintDoubtful"
	// CodeCompatibilityInvalid: what the bundle says of the clusters and
	// namespaces that it runs in cannot be understood: of an
	// olm.maxOpenShiftVersion, so that it counts as fitting no OpenShift at
	// all, or of the metadata of its cluster service version, where what cannot
	// be understood does not count.
	CodeCompatibilityInvalid Code = "compatibilityInvalid"
)
