package graph

// Code is the kind of a [Problem]. Codes are stable: a code may be added,
// but none changes its meaning. Readers of catalogs define further ones. Those of
// [Build] are, by what they put in quarantine:
//
//	a package   packageMissing packageDuplicate packageInvalid
//	a channel   channelInvalid channelDuplicate channelEmpty entryDuplicate noHead
//	            severalHeads replacesCycle
//	a bundle    bundleInvalid bundleDuplicate propertyInvalid constraintInvalid
//	            packagePropertyMissing packagePropertySeveral packageMismatch
//	nothing     noChannels defaultChannelMissing defaultChannelUnknown
//	(errors)    skipRangeInvalid: it is ignored; moreProblems: not all are kept
//	            replacesUnknown: from which severalHeads follows
//	            packageNameInvalid deprecationsSeveral skipsEmpty versionDuplicate
//	            releaseNotNormalized releaseBesideBuild strandedBehindSkipped: opm
//	            refuses the catalog
//	nothing     deprecationUnknown deprecationDuplicate: the entry is ignored
//	(warnings)  entryWithoutBundle: it carries the chain and is never chosen
//	            chainLeaves: usual where a channel continues another
//	            entryStranded, bundleUnlisted: never chosen
//	            skipsItself, constraintDoubtful: has no effect, is suspicious
//	            compatibilityInvalid: the compatibility metadata of a bundle is
//	            invalid
//
// crdVersionDropped (a warning) is that of [DroppedProblems] alone: upgrades to a bundle
// take away a version of a resource definition that the bundles before it serve.
type Code string

// codeMoreProblems means that there are more problems in one place than are kept.
const codeMoreProblems Code = "moreProblems"

// Problems that quarantine a package.
const (
	// codePackageMissing: channels or bundles name a package that no
	// olm.package blob defines.
	codePackageMissing Code = "packageMissing"
	// codePackageDuplicate: several olm.package blobs define the package.
	codePackageDuplicate Code = "packageDuplicate"
	// codePackageInvalid: the olm.package blob itself is malformed.
	codePackageInvalid Code = "packageInvalid"
)

// Problems of a package that quarantine nothing.
const (
	// codeDefaultChannelMissing: the package names no default channel. It
	// works, but none of its channels is preferred.
	codeDefaultChannelMissing Code = "defaultChannelMissing"
	// codeDefaultChannelUnknown: the default channel does not exist. The
	// package works, but none of its channels is preferred.
	codeDefaultChannelUnknown Code = "defaultChannelUnknown"
	// codeNoChannels: the package has no channel, so nothing of it can be
	// chosen.
	codeNoChannels Code = "noChannels"
	// codeDeprecationUnknown: an olm.deprecations entry references nothing
	// that exists. It is ignored (a warning).
	codeDeprecationUnknown Code = "deprecationUnknown"
	// codeDeprecationDuplicate: an olm.deprecations entry references what an
	// earlier one did. It is ignored (a warning).
	codeDeprecationDuplicate Code = "deprecationDuplicate"
)

// What opm refuses, and what a resolution can use all the same: errors that quarantine
// nothing.
const (
	// codePackageNameInvalid: the name of the package is no DNS label, as with a dot.
	codePackageNameInvalid Code = "packageNameInvalid"
	// codeDeprecationsSeveral: the package has several olm.deprecations blobs. All count.
	codeDeprecationsSeveral Code = "deprecationsSeveral"
	// codeSkipsEmpty: an entry skips an empty name.
	codeSkipsEmpty Code = "skipsEmpty"
	// codeStrandedBehindSkipped: the chain reaches an entry only through one that is
	// skipped. It is followed all the same, as OLM Classic does.
	codeStrandedBehindSkipped Code = "strandedBehindSkipped"
	// codeReplacesUnknown: the channel has several heads, and an entry replaces a name
	// that is much like that of one of them.
	codeReplacesUnknown Code = "replacesUnknown"
	// codeVersionDuplicate: two bundles of the package have one version and release.
	codeVersionDuplicate Code = "versionDuplicate"
	// codeReleaseNotNormalized: a bundle with a release is not named after it.
	codeReleaseNotNormalized Code = "releaseNotNormalized"
	// codeReleaseBesideBuild: a bundle has a release and build metadata.
	codeReleaseBesideBuild Code = "releaseBesideBuild"
)

// Problems that quarantine a channel.
const (
	// codeChannelInvalid: the olm.channel blob or one of its entries is
	// malformed.
	codeChannelInvalid Code = "channelInvalid"
	// codeChannelDuplicate: several olm.channel blobs define the channel.
	codeChannelDuplicate Code = "channelDuplicate"
	// codeChannelEmpty: the channel has no entries.
	codeChannelEmpty Code = "channelEmpty"
	// codeEntryDuplicate: two entries of the channel have the same name.
	codeEntryDuplicate Code = "entryDuplicate"
	// codeNoHead: each entry is replaced or skipped by another.
	codeNoHead Code = "noHead"
	// codeSeveralHeads: several entries are replaced or skipped by none.
	codeSeveralHeads Code = "severalHeads"
	// codeReplacesCycle: entries replace each other in a circle.
	codeReplacesCycle Code = "replacesCycle"
)

// Problems of a channel that quarantine nothing. They are warnings unless they
// say otherwise.
const (
	// codeSkipRangeInvalid: the skipRange of an entry does not parse. It is
	// ignored, and the entry is what it would be without it (an error).
	codeSkipRangeInvalid Code = "skipRangeInvalid"
	// codeEntryWithoutBundle: the catalog lacks the bundle of an entry, which
	// becomes a virtual node: it carries the chain and is never chosen.
	codeEntryWithoutBundle Code = "entryWithoutBundle"
	// codeChainLeaves: the last entry of the chain replaces one that is not in
	// the channel. It is usual where a channel continues another.
	codeChainLeaves Code = "chainLeaves"
	// codeEntryStranded: an entry is neither on the chain nor skipped, so it
	// is never chosen.
	codeEntryStranded Code = "entryStranded"
	// codeSkipsItself: an entry skips itself, which means nothing.
	codeSkipsItself Code = "skipsItself"
)

// Problems that quarantine a bundle.
const (
	// codeBundleInvalid: the olm.bundle blob is malformed.
	codeBundleInvalid Code = "bundleInvalid"
	// codeBundleDuplicate: several olm.bundle blobs of the package have this
	// name.
	codeBundleDuplicate Code = "bundleDuplicate"
	// codeConstraintInvalid: a constraint does not parse or compile.
	codeConstraintInvalid Code = "constraintInvalid"
	// codePackagePropertyMissing: the bundle has no olm.package property, so
	// its version is unknown.
	codePackagePropertyMissing Code = "packagePropertyMissing"
	// codePackagePropertySeveral: the bundle has several olm.package
	// properties.
	codePackagePropertySeveral Code = "packagePropertySeveral"
	// codePackageMismatch: the package of the olm.package property is not
	// that of the blob.
	codePackageMismatch Code = "packageMismatch"
)

// Warnings about a bundle. They quarantine nothing.
const (
	// codeBundleUnlisted: no channel lists the bundle, so it is never chosen.
	codeBundleUnlisted Code = "bundleUnlisted"
	// codeConstraintDoubtful: a constraint is valid, but suspicious: an
	// empty all, any or not.
	codeConstraintDoubtful Code = "constraintDoubtful"
	// codeCompatibilityInvalid: requirements of the bundle on clusters and
	// namespaces are invalid: an olm.maxOpenShiftVersion, which makes it
	// incompatible with every version, or a part of the metadata of its
	// ClusterServiceVersion, which is ignored.
	codeCompatibilityInvalid Code = "compatibilityInvalid"
)
