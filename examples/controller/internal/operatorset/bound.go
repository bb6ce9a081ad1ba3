package operatorset

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed109e2655/resolute/resolver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// Limits of a status. An object may have 1.5 MiB in etcd, and names and
// messages in catalogs are untrusted.
const (
	// maxStatusBytes limits the whole status as JSON.
	maxStatusBytes = 512 << 10
	// maxText limits the argument of a conflict and the message of a
	// condition, maxLine any other text, in bytes.
	maxText = 16 << 10
	maxLine = 2 << 10
	// Limits of lists.
	maxFacts      = 64
	maxFactsLeft  = 8 // per unresolved subscription
	maxWarnings   = 128
	maxUnresolved = 128
	maxReasons    = 16
)

// bound truncates an answer to the limits and lists the missing parts in
// Omitted. It drops details, kind by kind, until the rest fits. A plan is
// complete or absent, so that nobody executes a partial one.
func bound(a *answer) {
	s := &a.status
	omit := func(format string, args ...any) { s.Omitted = append(s.Omitted, fmt.Sprintf(format, args...)) }
	a.resolved.Message = clip(a.resolved.Message, maxText)
	a.catalogs.Message = clip(a.catalogs.Message, maxText)
	for i := range s.Catalogs {
		s.Catalogs[i].Unavailable = clip(s.Catalogs[i].Unavailable, maxLine)
	}
	boundConflict(s.Conflict, maxFacts, "conflict", omit)
	if n := len(s.Unresolved) - maxUnresolved; n > 0 {
		s.Unresolved = s.Unresolved[:maxUnresolved]
		omit("unresolved: %d more", n)
	}
	for i := range s.Unresolved {
		boundConflict(s.Unresolved[i].Conflict, maxFactsLeft, fmt.Sprintf("unresolved[%d].conflict", i), omit)
	}
	if n := len(s.Warnings) - maxWarnings; n > 0 {
		s.Warnings = s.Warnings[:maxWarnings]
		omit("warnings: %d more", n)
	}
	for i := range s.Warnings {
		s.Warnings[i].Message = clip(s.Warnings[i].Message, maxLine)
	}
	boundSteps(s.Steps, omit)
	for _, shrink := range shrinks() {
		if fits(s) {
			return
		}
		shrink.cut(s)
		omit("%s: dropped, because the object would be too large", shrink.what)
	}
	if fits(s) {
		return
	}
	a.status = v1alpha1.OperatorSetStatus{Omitted: []string{"everything, because the object would be too large"}}
	a.fail(metav1.ConditionFalse, v1alpha1.ReasonTooLarge, fmt.Sprintf(
		"the answer exceeds %d KiB, the limit of the status; split the subscriptions over several namespaces", maxStatusBytes>>10))
}

// boundSteps truncates the explanations of steps, not the steps.
func boundSteps(steps []resolver.Step, omit func(string, ...any)) {
	passedOver, because := 0, 0
	for i := range steps {
		step := &steps[i]
		if n := len(step.PassedOver) - maxReasons; n > 0 {
			step.PassedOver = step.PassedOver[:maxReasons]
			passedOver += n
		}
		if n := len(step.Because) - maxReasons; n > 0 {
			step.Because = step.Because[:maxReasons]
			because += n
		}
		for j := range step.Because {
			step.Because[j].Constraint = clip(step.Because[j].Constraint, maxLine)
		}
	}
	if passedOver > 0 {
		omit("steps[*].passedOver: %d more", passedOver)
	}
	if because > 0 {
		omit("steps[*].because: %d more", because)
	}
}

func boundConflict(c *v1alpha1.Conflict, facts int, path string, omit func(string, ...any)) {
	if c == nil {
		return
	}
	c.Text = clip(c.Text, maxText)
	if n := len(c.Facts) - facts; n > 0 {
		c.Facts = c.Facts[:facts]
		omit("%s.facts: %d more", path, n)
	}
	for i := range c.Facts {
		f := &c.Facts[i]
		f.Subject, f.Text, f.Message = clip(f.Subject, maxLine), clip(f.Text, maxLine), clip(f.Message, maxLine)
	}
	for i := range c.Corrections {
		k := &c.Corrections[i]
		k.Text = clip(k.Text, maxLine)
	}
}

// shrink is an optional part of a status.
type shrink struct {
	what string
	cut  func(*v1alpha1.OperatorSetStatus)
}

// shrinks lists the parts to drop if a status is too large, the least useful
// first.
func shrinks() []shrink {
	return []shrink{
		{"steps[*].passedOver", func(s *v1alpha1.OperatorSetStatus) {
			for i := range s.Steps {
				s.Steps[i].PassedOver = nil
			}
		}},
		{"corrections[*].result", func(s *v1alpha1.OperatorSetStatus) {
			if s.Conflict != nil {
				for i := range s.Conflict.Corrections {
					s.Conflict.Corrections[i].Result = nil
				}
			}
		}},
		{"unresolved[*].conflict", func(s *v1alpha1.OperatorSetStatus) {
			for i := range s.Unresolved {
				s.Unresolved[i].Conflict = nil
			}
		}},
		{"steps[*].because", func(s *v1alpha1.OperatorSetStatus) {
			for i := range s.Steps {
				s.Steps[i].Because = nil
			}
		}},
		{"steps[*].image", func(s *v1alpha1.OperatorSetStatus) {
			for i := range s.Steps {
				s.Steps[i].Image = ""
			}
		}},
		{"warnings", func(s *v1alpha1.OperatorSetStatus) { s.Warnings = nil }},
		{"conflict.corrections", func(s *v1alpha1.OperatorSetStatus) {
			if s.Conflict != nil {
				s.Conflict.Corrections = nil
			}
		}},
		{"conflict.facts", func(s *v1alpha1.OperatorSetStatus) {
			if s.Conflict != nil {
				s.Conflict.Facts = nil
			}
		}},
	}
}

func fits(s *v1alpha1.OperatorSetStatus) bool {
	data, err := json.Marshal(s)
	return err == nil && len(data) <= maxStatusBytes
}

// clip truncates a text to a number of bytes, at a line break in its second
// half if there is one. Invalid UTF-8 is replaced as in JSON, which is longer.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	const mark = " […]"
	end := most - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	kept := text[:end]
	if line := strings.LastIndexByte(kept, '\n'); line > end/2 {
		kept = kept[:line]
	}
	return kept + mark
}
