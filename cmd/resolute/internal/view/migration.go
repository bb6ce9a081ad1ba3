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
		v.Line("  %s/%s (%s) %s", m.Namespace, m.Subscription, m.Package, v.Good(canMigrate(m), verdicts[m.Verdict]))
		v.each("    %s", migrationLines(m))
		if m.Object != nil {
			for line := range strings.Lines(string(m.Object.YAML())) {
				v.Line("      %s", strings.TrimSuffix(line, "\n"))
			}
		}
	}
}

// canMigrate reports whether a subscription can become an extension.
func canMigrate(m *olm.Migration) bool {
	return m.Verdict == olm.VerdictEligible || m.Verdict == olm.VerdictAcknowledge
}

// migrationLines returns the reasons, the missing data and the warnings of a migration.
func migrationLines(m *olm.Migration) (out []string) {
	for _, r := range m.Reasons {
		line := r.Code + ": " + r.Text
		if !r.Hard {
			line += "; acknowledge it with " + r.Override
		}
		out = append(out, line)
	}
	for _, s := range m.Missing {
		out = append(out, "missing: "+s)
	}
	for _, s := range m.Warnings {
		out = append(out, "warning: "+s)
	}
	return out
}

// extensions writes a summary of OLM v1 extensions, if any.
func (v *Capture) extensions(e *olm.Extensions) {
	if e == nil {
		return
	}
	v.Line("\nextensions of OLM v1")
	for _, l := range extensionsOf(e.Scenario) {
		v.Line("  %-10s %s", l.Label, l.Text)
	}
	v.observed(e.Observed)
	v.answer(e.Scenario)
	v.findings(e.Findings)
}
