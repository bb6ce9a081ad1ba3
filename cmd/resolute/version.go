package main

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
)

func (a *app) versionCommand() *cli.Command {
	return &cli.Command{
		Usage:       "print the version, the commit, the Go version and the platform",
		Description: "A value that the build did not record is (devel) or unknown.",
		Flags:       []cli.Flag{outputFlag("text", "json")},
		Action: func(_ context.Context, cmd *cli.Command) error {
			v := built(debug.ReadBuildInfo())
			return a.show(cmd, v, nil, func(t *view.Text) {
				commit := cmp.Or(v.Commit, "unknown")
				if v.Modified {
					commit += ", with changes"
				}
				t.Line("resolute %s", v.Version)
				t.Line("commit:   %s", commit)
				t.Line("go:       %s", v.Go)
				t.Line("platform: %s", v.Platform)
			})
		},
	}
}

// versionAnswer is the JSON of the version command.
type versionAnswer struct {
	Version string `json:"version"`
	// Commit is empty if the build recorded none; Modified reports uncommitted changes.
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// built returns the recorded build information.
func built(info *debug.BuildInfo, ok bool) versionAnswer {
	v := versionAnswer{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if !ok {
		return v
	}
	v.Version, v.Go = cmp.Or(info.Main.Version, v.Version), cmp.Or(info.GoVersion, v.Go)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// version returns the text of --version: the module version, the revision and the Go version,
// where recorded.
func version(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "unknown: built without build information"
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

// buildVersion returns the module version, or an empty string if the build recorded none.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}
