package properties

// NewInstallModes returns the set that has the modes given and no other.
func NewInstallModes(modes ...InstallModes) InstallModes {
	set := modesKnown
	for _, m := range modes {
		set |= m
	}
	return set
}
