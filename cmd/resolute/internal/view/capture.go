package view

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Capture writes captures as text or as a page.
type Capture struct {
	*Text
	// Missing lists the keys of catalogs with unknown content. Scenarios that use one are not
	// answered.
	Missing []string
	// Answer answers a captured scenario.
	Answer func(*scenario.Scenario) *scenario.Answer
}

// Write writes a summary of each namespace, as soon as it is answered.
func (v *Capture) Write(cluster *olm.Cluster, captured *olm.Capture) error {
	v.Line("%s, %s%s", text.Count(len(captured.Namespaces), "namespace", "namespaces"), text.Count(len(captured.Catalogs), "catalog", "catalogs"), versionsOf(captured.Cluster))
	if n := cluster.Copied(); n > 0 {
		v.Line("%s of operators in other namespaces ignored", text.Count(n, "copy", "copies"))
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
			v.Line("  plan       %s", planText(&p))
			if p.Command != "" {
				v.Line("             %s", p.Command)
			}
		}
		v.findings(ns.Findings)
	}
	v.extensions(captured.Extensions)
	v.migration(captured.Migration)
	if len(v.Missing) > 0 {
		v.Line("\n%s", WantedCatalogs(v.Missing))
	}
	return v.Flush()
}

// WantedCatalogs returns the message that asks for missing catalogs.
func WantedCatalogs(keys []string) string {
	return fmt.Sprintf("the content of %s is unknown; give each with --catalog KEY=FILE, where KEY is %s", text.Count(len(keys), "catalog", "catalogs"), text.Or(text.Names(keys)))
}

// CatalogKey returns the --catalog key of a catalog in a captured scenario. Catalogs of OLM v1
// have no namespace.
func CatalogKey(c *scenario.Catalog) string {
	if c.Namespace == "" {
		return c.Name
	}
	return c.Namespace + "/" + c.Name
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

// placeOf describes the location of a catalog's content.
func placeOf(c olm.Catalog) string {
	health := ""
	if !c.Healthy {
		health = ", unhealthy"
	}
	switch {
	case c.Path != "":
		return c.Path + health
	case c.Image != "":
		return "image " + c.Image + health
	}
	return "content unknown" + health
}

// stateLine is a fact about a namespace, with its label.
type stateLine struct{ Label, Text string }

// state writes the installed operators and the subscriptions.
func (v *Capture) state(s *scenario.Scenario) {
	for _, l := range stateOf(s) {
		v.Line("  %-10s %s", l.Label, l.Text)
	}
}

// stateOf returns the installed operators, the subscriptions and the extensions of a scenario.
func stateOf(s *scenario.Scenario) (out []stateLine) {
	add := func(label, format string, args ...any) {
		out = append(out, stateLine{label, fmt.Sprintf(format, args...)})
	}
	owned := make(map[string][]string)
	for _, sub := range s.Subscriptions {
		owned[sub.InstalledCSV] = append(owned[sub.InstalledCSV], sub.Name)
		if sub.InstalledCSV == "" {
			add("requested", "%s, by subscription %s", sub.Package, sub.Name)
		}
		if sub.Hold != "" {
			add("held", "subscription %s: %s", sub.Name, sub.Hold)
		}
	}
	for _, in := range s.Installed {
		note := ""
		switch {
		case in.ReplacedBy != "":
			note = ", to be replaced by " + in.ReplacedBy
		case in.Automatic:
			note = ", a dependency"
		case len(owned[in.Name]) > 0:
			note = ", owned by subscription " + List(owned[in.Name])
		default:
			note = ", unowned"
		}
		add("installed", "%s%s", in.Name, note)
	}
	return out
}

// extensionsOf returns the extensions of OLM v1.
func extensionsOf(s *scenario.Scenario) (out []stateLine) {
	for _, x := range s.Extensions {
		if x.InstalledCSV == "" {
			out = append(out, stateLine{"requested", fmt.Sprintf("%s, by extension %s", x.Package, x.Name)})
		} else {
			out = append(out, stateLine{"installed", fmt.Sprintf("%s, owned by extension %s", x.InstalledCSV, x.Name)})
		}
	}
	return out
}

func (v *Capture) observed(o olm.Observed) { v.Line("  OLM        %s", observedText(o)) }

// observedText returns the status that OLM reports, with its message.
func observedText(o olm.Observed) string {
	if o.Message == "" {
		return o.Status
	}
	return o.Status + ": " + o.Message
}

// answer writes the answer to a scenario.
func (v *Capture) answer(s *scenario.Scenario) {
	if missing := v.missing(s); len(missing) > 0 {
		v.Line("  resolute   no answer: the content of %s is unknown", List(missing))
		return
	}
	answer := v.Answer(s)
	switch answer.Status {
	case scenario.Resolved:
		v.Line("  resolute   %s: %s", v.Verdict(answer), changesText(answer))
	case scenario.Unsatisfiable:
		v.Line("  resolute   %s", v.Verdict(answer))
		v.Conflict(answer.Conflict)
	default:
		v.Line("  resolute   no answer: %s", answer.Error)
	}
}

// changesText returns the changes of a solution in one line.
func changesText(answer *scenario.Answer) string {
	var changes []string
	for _, step := range answer.Steps {
		if step.Action != resolver.Keep {
			changes = append(changes, string(step.Action)+" "+Moved(step))
		}
	}
	if len(changes) == 0 {
		return "nothing to do"
	}
	return List(changes)
}

// planText describes a pending install plan.
func planText(p *olm.PendingPlan) string {
	return cmp.Or(p.Text, fmt.Sprintf("%s awaits approval; its effect is unknown without the content of the catalogs", p.Plan))
}

// missing returns the catalogs of a scenario with unknown content.
func (v *Capture) missing(s *scenario.Scenario) []string {
	var out []string
	for i := range s.Catalogs {
		if key := CatalogKey(&s.Catalogs[i]); slices.Contains(v.Missing, key) {
			out = append(out, key)
		}
	}
	return out
}

// findings writes findings, one per line.
func (v *Capture) findings(findings []olm.Finding) {
	for _, f := range findings {
		v.Line("  %s: %s: %s", v.Severity(string(f.Severity)), f.Code, f.Message)
		for _, command := range f.Commands {
			v.Line("    %s", command)
		}
	}
}
