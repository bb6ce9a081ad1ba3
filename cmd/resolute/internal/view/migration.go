package view

import (
	"strings"

	"github.com/seed109e2655/resolute/resolver/olm"
)

// verdicts are the descriptions of migration verdicts.
var verdicts = map[string]string{
	olm.VerdictEligible:    "eligible: can be migrated to an extension",
	olm.VerdictAcknowledge: "acknowledge: can be migrated to an extension if each reason is acknowledged",
	olm.VerdictBlocked:     "blocked: cannot be migrated to an extension",
	olm.VerdictUnknown:     "unknown: missing data",
}

// migration writes the verdict, the reasons, the required actions and the extension of each
// migration.
func (v *Capture) migration(list []olm.Migration) {
	if len(list) == 0 {
		return
	}
	v.Line("\nmigration to extensions of OLM v1")
	for i := range list {
		m := &list[i]
		good := m.Verdict == olm.VerdictEligible || m.Verdict == olm.VerdictAcknowledge
		v.Line("  %s/%s (%s) %s", m.Namespace, m.Subscription, m.Package, v.Good(good, verdicts[m.Verdict]))
		for _, r := range m.Reasons {
			if r.Hard {
				v.Line("    %s: %s", r.Code, r.Text)
			} else {
				v.Line("    %s: %s; acknowledge it with %s", r.Code, r.Text, r.Override)
			}
		}
		for _, s := range m.Missing {
			v.Line("    missing: %s", s)
		}
		for _, s := range m.Warnings {
			v.Line("    warning: %s", s)
		}
		if m.Object != nil {
			for line := range strings.Lines(string(m.Object.YAML())) {
				v.Line("      %s", strings.TrimSuffix(line, "\n"))
			}
		}
	}
}

// extensions writes a summary of OLM v1 extensions, if any.
func (v *Capture) extensions(e *olm.Extensions) {
	if e == nil {
		return
	}
	v.Line("\nextensions of OLM v1")
	for _, x := range e.Scenario.Extensions {
		if x.InstalledCSV == "" {
			v.Line("  requested  %s, by extension %s", x.Package, x.Name)
		} else {
			v.Line("  installed  %s, owned by extension %s", x.InstalledCSV, x.Name)
		}
	}
	v.observed(e.Observed)
	v.answer(e.Scenario)
	v.findings(e.Findings)
}
