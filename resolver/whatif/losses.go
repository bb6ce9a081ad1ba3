package whatif

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// losses says of each installed bundle that a solution of a changed request downgrades or
// removes what becomes of it.
func losses(req *resolver.Request, sol *resolver.Solution) []string {
	if len(req.Installed) == 0 {
		return nil
	}
	var downgraded, removed []string
	replaced, ofPackage := make(map[string]*resolver.Step), make(map[string]*resolver.Step)
	there := make(map[string]bool)
	for i := range sol.Steps {
		step := &sol.Steps[i]
		there[step.Bundle] = true
		if step.Package != "" {
			ofPackage[step.Package] = step
		}
		for _, name := range step.Replaces {
			replaced[name] = step
		}
	}
	known := req.Known()
	for i := range known.Installed {
		in := &known.Installed[i]
		to := cmp.Or(replaced[in.Name], ofPackage[in.Package])
		switch version := installedVersion(in); {
		case in.ReplacedBy != "" || there[in.Name] && (to == nil || to.Bundle == in.Name):
		case to == nil && !there[in.Name]:
			removed = append(removed, text.Inert(in.Name))
		case to != nil && to.Version != nil && version != nil && to.Package == in.Package && to.Version.LT(*version):
			downgraded = append(downgraded, text.Inert(in.Name)+" to "+text.Inert(to.Bundle))
		}
	}
	var out []string
	if len(downgraded) > 0 {
		out = append(out, "downgrades "+text.Short(downgraded, maxLosses))
	}
	if len(removed) > 0 {
		out = append(out, "removes "+text.Short(removed, maxLosses))
	}
	return out
}

// maxLosses limits the bundles that the text of a correction names as downgraded, and as removed.
const maxLosses = 5

// installedVersion returns the version of an installed bundle, nil if it is unknown.
func installedVersion(in *resolver.Installed) *semver.Version {
	if in.Version != nil || in.Properties == nil {
		return in.Version
	}
	if p, ok := in.Properties.Package(); ok {
		return &p.Version
	}
	return nil
}

// withLosses marks a correction that downgrades or removes something installed, and says so
// where its changes do not.
func withLosses(req *resolver.Request, c resolver.Correction, sol *resolver.Solution) resolver.Correction {
	list := losses(req, sol)
	removal := slices.ContainsFunc(c.Changes, func(ch resolver.CorrectionChange) bool { return ch.Change.Kind() == resolver.ChangeRemoveInstalled })
	c.Downgrade = removal || len(list) > 0
	if removal {
		list = slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, "removes ") })
	}
	if len(list) > 0 {
		c.Text += "; this " + text.And(list)
	}
	return c
}
