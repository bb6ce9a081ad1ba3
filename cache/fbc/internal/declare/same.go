package declare

import (
	"slices"

	"github.com/seed109e2655/resolute/graph"
)

// sameDecl reports whether two declarations of a package say the same at the
// same places, so that the same package would be built of them.
func sameDecl(a, b *graph.PackageDecl) bool {
	return a.Name == b.Name && a.Findings == b.Findings && // of a copy that is read again they never are
		slices.EqualFunc(a.Definitions, b.Definitions, sameDefinition) &&
		slices.EqualFunc(a.Channels, b.Channels, sameChannel) &&
		slices.EqualFunc(a.Bundles, b.Bundles, sameBundle) &&
		slices.Equal(a.Deprecations, b.Deprecations)
}

func sameDefinition(a, b graph.DefinitionDecl) bool {
	return a.DefaultChannel == b.DefaultChannel && a.Pos == b.Pos && slices.Equal(a.Flaws, b.Flaws)
}

func sameChannel(a, b graph.ChannelDecl) bool {
	return a.Name == b.Name && a.Pos == b.Pos && slices.Equal(a.Flaws, b.Flaws) && slices.EqualFunc(a.Entries, b.Entries, sameEntry)
}

func sameEntry(a, b graph.EntryDecl) bool {
	return a.Name == b.Name && a.Replaces == b.Replaces && a.SkipRange == b.SkipRange && a.Line == b.Line && slices.Equal(a.Skips, b.Skips)
}

// sameBundle compares the text of properties, not what it means.
func sameBundle(a, b graph.BundleDecl) bool {
	return a.Name == b.Name && a.Image == b.Image && a.Pos == b.Pos &&
		slices.Equal(a.Lines, b.Lines) && slices.Equal(a.Flaws, b.Flaws) && a.Properties.Equal(b.Properties) &&
		a.CompatibilityLine == b.CompatibilityLine && a.Compatibility.Equal(b.Compatibility)
}
