package properties

import (
	"slices"
	"strings"
)

// InstallModes is a set of install modes: which namespaces an operator can be
// made to watch. The zero InstallModes says nothing of it; see
// [InstallModes.Known].
type InstallModes uint8

// The install modes of Operator Lifecycle Manager.
const (
	// OwnNamespace: the operator can watch the namespace that it runs in.
	OwnNamespace InstallModes = 1 << iota
	// SingleNamespace: it can watch one other namespace.
	SingleNamespace
	// MultiNamespace: it can watch several namespaces.
	MultiNamespace
	// AllNamespaces: it can watch the whole cluster.
	AllNamespaces
	// modesKnown: modes that are not in the set are not supported.
	modesKnown
)

// modeNames are the names of the modes, in their order.
var modeNames = [...]string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"}

// Known reports whether it is known which modes are supported. A known set may
// be empty: then none is.
func (m InstallModes) Known() bool { return m&modesKnown != 0 }

// Has reports whether the set has all the modes given. A set that is not known
// has none.
func (m InstallModes) Has(modes InstallModes) bool {
	modes &^= modesKnown
	return m.Known() && m&modes == modes
}

// Names returns the names of the modes in the set, in the order in which they
// are declared above.
func (m InstallModes) Names() []string {
	var names []string
	for i, name := range modeNames {
		if m&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names with commas in between, "none", or "unknown".
func (m InstallModes) String() string {
	names := m.Names()
	switch {
	case !m.Known():
		return "unknown"
	case len(names) == 0:
		return "none"
	}
	return strings.Join(names, ", ")
}

// NeededInstallModes returns the install modes that an operator installed in a namespace of its own
// needs to watch the target namespaces; no targets, or one without a name, are all namespaces.
func NeededInstallModes(own string, targets []string) InstallModes {
	targets = slices.Compact(slices.Sorted(slices.Values(targets)))
	switch {
	case len(targets) == 0 || slices.Contains(targets, ""):
		return AllNamespaces
	case len(targets) > 1 && slices.Contains(targets, own):
		return MultiNamespace | OwnNamespace
	case len(targets) > 1:
		return MultiNamespace
	case targets[0] == own:
		return OwnNamespace
	default:
		return SingleNamespace
	}
}
