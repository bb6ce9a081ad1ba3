package view

import "github.com/seed109e2655/resolute/resolver/olm"

// migration writes whether subscriptions could be extensions, a line each.
func (v *Capture) migration(list []olm.Migration) {
	if len(list) == 0 {
		return
	}
	v.Line("\nas extensions of OLM v1")
	words := map[string]string{
		"asIs":             "could be one as it is",
		"planDependencies": "could be one if its dependencies are planned",
		"cannot":           "cannot be one",
	}
	for _, m := range list {
		v.Line("  %s/%s (%s) %s", m.Namespace, m.Subscription, m.Package, words[m.Verdict])
		for _, r := range m.Reasons {
			v.Line("    %s: %s", r.Code, r.Text)
		}
	}
}

// extensions writes the summary of what OLM v1 manages, if there is anything.
func (v *Capture) extensions(e *olm.Extensions) {
	if e == nil {
		return
	}
	v.Line("\nextensions of OLM v1")
	for _, x := range e.Scenario.Extensions {
		if x.InstalledCSV == "" {
			v.Line("  wanted     %s, by extension %s", x.Package, x.Name)
		} else {
			v.Line("  installed  %s, of extension %s", x.InstalledCSV, x.Name)
		}
	}
	v.observed(e.Observed)
	v.answer(e.Scenario)
	v.findings(e.Findings)
}
