package properties

// NewInstallModes is for tests.
var NewInstallModes = newInstallModes
