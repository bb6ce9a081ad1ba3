package view

import (
	"cmp"
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Capture writes captures for people.
type Capture struct {
	*Text
	// Answer answers a captured scenario.
	Answer func(*scenario.Scenario) *scenario.Answer
}

// Write writes a summary a namespace, each as soon as it is answered.
func (v *Capture) Write(cluster *olm.Cluster, captured *olm.Capture) error {
	v.Line("%s, %s%s", text.Count(len(captured.Namespaces), "namespace", "namespaces"), text.Count(len(captured.Catalogs), "catalog", "catalogs"), versionsOf(captured.Cluster))
	if n := cluster.Copied(); n > 0 {
		v.Line("%s of operators in other namespaces not looked at", text.Count(n, "copy", "copies"))
	}
	for _, c := range captured.Catalogs {
		v.Line("catalog %s: priority %d, %s", c.Key, c.Priority, placeOf(c))
	}
	for _, ns := range captured.Namespaces {
		if err := v.Flush(); err != nil {
			return err
		}
		v.Line("\nnamespace %s", ns.Namespace)
		v.state(ns.Scenario)
		v.observed(ns.Observed)
		v.answer(ns.Scenario)
		for _, p := range ns.Plans {
			v.Line("  plan       %s", cmp.Or(p.Text, fmt.Sprintf("%s waits to be approved; where that leads is not known without the content of the catalogs", p.Plan)))
			if p.Command != "" {
				v.Line("             %s", p.Command)
			}
		}
		v.findings(ns.Findings)
	}
	v.migration(captured.Migration)
	v.extensions(captured.Extensions)
	return v.Flush()
}

func versionsOf(v olm.Versions) string {
	s := ""
	if v.OpenShiftVersion != "" {
		s += ", OpenShift " + v.OpenShiftVersion
	}
	if v.KubernetesVersion != "" {
		s += ", Kubernetes " + v.KubernetesVersion
	}
	return s
}

// placeOf says where the content of a catalog is.
func placeOf(c olm.Catalog) string {
	health := ""
	if !c.Healthy {
		health = ", not healthy"
	}
	switch {
	case c.Path != "":
		return c.Path + health
	case c.Image != "":
		return "image " + c.Image + health
	}
	return "content not known, give --catalog" + health
}

// state writes what is installed and asked for.
func (v *Capture) state(s *scenario.Scenario) {
	owned := make(map[string][]string)
	for _, sub := range s.Subscriptions {
		owned[sub.InstalledCSV] = append(owned[sub.InstalledCSV], sub.Name)
		if sub.InstalledCSV == "" {
			v.Line("  wanted     %s, by subscription %s", sub.Package, sub.Name)
		}
		if sub.Hold != "" {
			v.Line("  held       subscription %s: %s", sub.Name, sub.Hold)
		}
	}
	for _, in := range s.Installed {
		note := ""
		switch {
		case in.ReplacedBy != "":
			note = ", being replaced by " + in.ReplacedBy
		case in.Automatic:
			note = ", a dependency"
		case len(owned[in.Name]) > 0:
			note = ", of subscription " + List(owned[in.Name])
		default:
			note = ", of no subscription"
		}
		v.Line("  installed  %s%s", in.Name, note)
	}
}

func (v *Capture) observed(o olm.Observed) {
	line := "  OLM says   " + string(o.Status)
	if o.Message != "" {
		line += ": " + o.Message
	}
	v.Line("%s", line)
}

// answer writes what a scenario gives.
func (v *Capture) answer(s *scenario.Scenario) {
	answer := v.Answer(s)
	switch answer.Status {
	case scenario.Resolved:
		var changes []string
		for _, step := range answer.Steps {
			if step.Action != resolver.Keep {
				changes = append(changes, string(step.Action)+" "+Moved(step))
			}
		}
		if len(changes) == 0 {
			changes = []string{"nothing to do"}
		}
		v.Line("  we say     %s: %s", v.Verdict(answer), List(changes))
	case scenario.Unsatisfiable:
		v.Line("  we say     %s", v.Verdict(answer))
		v.Conflict(answer.Conflict)
	default:
		v.Line("  we say     nothing: %s", answer.Error)
	}
}

// findings writes findings, a line each.
func (v *Capture) findings(findings []olm.Finding) {
	for _, f := range findings {
		v.Line("  %s: %s: %s", v.Severity(string(f.Severity)), f.Code, f.Message)
	}
}
