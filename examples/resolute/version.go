package main

import (
	"runtime/debug"
	"strings"
)

// version is what --version says: the version of the module, the revision that it
// was built from, and the version of Go, as far as the build recorded them.
func version(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "unknown: it was built without build information"
	}
	parts := []string{info.Main.Version}
	if info.Main.Version == "" {
		parts[0] = "(devel)"
	}
	var revision, modified string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "revision " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " with changes"
		}
	}
	if revision != "" {
		parts = append(parts, revision+modified)
	}
	return strings.Join(append(parts, info.GoVersion), ", ")
}

// buildVersion is the version of the module, or empty if the build recorded none.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}
