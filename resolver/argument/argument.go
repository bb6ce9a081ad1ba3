// Package argument explains conflicts: it has the facts of an unsatisfiable core and the tree of
// statements built from them, rendered as text, HTML and JSON. Package resolver/draw draws it.
//
// A [Fact] is one of the conditions that cannot all hold, with its candidates and the reasons
// for rejecting each. Resolvers find facts; [Of] builds an [Argument] from them, or from facts
// that a program makes itself.
//
// The tree leads from the demands down to the facts that they contradict. Each [Statement] has a
// form for programs (kind, facts, bundles) and one sentence for people. All renderings use
// exported fields only, so that a program can add its own; the JSON form has these fields.
//
// Kinds and codes are stable. Sentences are for people and may change in any release. Control
// characters in them are escaped: they are safe to print to a terminal or a page. A tree is
// immutable and safe for concurrent use.
package argument

import (
	"fmt"
	"strings"
)

// Argument explains one conflict.
type Argument struct {
	// Headline is a one-line summary without a full stop.
	Headline string `json:"headline"`
	// Facts are those that it was built from; do not modify them. They are not part of the JSON form.
	Facts []Fact `json:"-"`
	// Statements are the roots of the tree, in the order of the argument.
	Statements []*Statement `json:"statements"`
	// Omitted is the number of statements omitted from a very long argument.
	Omitted int `json:"omitted,omitempty"`
	// NotMinimal reports whether the minimization stopped early, so that some facts may be
	// redundant.
	NotMinimal bool `json:"notMinimal,omitempty"`
	// Further are the arguments of independent conflicts. MoreFurther reports whether there are,
	// or may be, more.
	Further     []*Argument `json:"further,omitempty"`
	MoreFurther bool        `json:"moreFurther,omitempty"`
	// Corrections are the texts of corrections, best first.
	Corrections []string `json:"corrections,omitempty"`
}

// StatementKind is the stable code of a [Statement].
type StatementKind string

// The kinds of statements.
const (
	// StatementAsked is a demand: a subscription, or an installed or forced bundle.
	StatementAsked StatementKind = "asked"
	// StatementNothing: nothing meets a demand or a requirement, or a part of it.
	StatementNothing StatementKind = "nothing"
	// StatementCandidates lists candidates whose rejection is explained elsewhere.
	StatementCandidates StatementKind = "candidates"
	// StatementRequires is a requirement of candidates.
	StatementRequires StatementKind = "requires"
	// StatementClash: these candidates cannot be installed beside others.
	StatementClash StatementKind = "clash"
	// StatementProhibited: another bundle prohibits these candidates.
	StatementProhibited StatementKind = "prohibited"
	// StatementRefused: these candidates are excluded or held back.
	StatementRefused StatementKind = "refused"
	// StatementNearMiss: these bundles are nearly candidates.
	StatementNearMiss StatementKind = "nearMiss"
	// StatementRule is any other fact of the conflict.
	StatementRule StatementKind = "rule"
	// StatementMore counts the candidates that are not listed.
	StatementMore StatementKind = "more"
)

// Statement is one step of an argument.
type Statement struct {
	Kind StatementKind `json:"kind"`
	// Facts are the facts that it states, and Because those that it relies on and that are
	// stated elsewhere, both as indexes into the facts of the conflict.
	Facts   []int `json:"facts,omitempty"`
	Because []int `json:"because,omitempty"`
	// Bundles are the bundles that it is about.
	Bundles []string `json:"bundles,omitempty"`
	// Text is the sentence without a full stop and without Message, For and See.
	Text string `json:"text"`
	// Message is the message of the author of the constraint or prohibition.
	Message string `json:"message,omitempty"`
	// For is the message of the part of a constraint for which the bundles are candidates.
	For string `json:"for,omitempty"`
	// Number is the number by which other statements refer to this one; 0 if none does. See is
	// the number of the statement with the reasons; 0 if Children has them.
	Number int `json:"number,omitempty"`
	See    int `json:"see,omitempty"`
	// Children are the reasons.
	Children []*Statement `json:"children,omitempty"`
}

// Sentence returns the complete sentence in one line.
func (s *Statement) Sentence() string {
	out := s.Text
	if s.Number > 0 {
		out = fmt.Sprintf("[%d] %s", s.Number, out)
	}
	if s.Message != "" {
		out += ` ("` + quotable(s.Message) + `")`
	}
	if s.For != "" {
		out += ` [for "` + quotable(s.For) + `"]`
	}
	if s.See > 0 {
		out += fmt.Sprintf(", see [%d]", s.See)
	}
	if end := out[max(len(out)-1, 0):]; end == "?" || end == "." {
		return out
	}
	return out + "."
}

func quotable(s string) string { return strings.ReplaceAll(s, `"`, `\"`) }

// Walk calls visit for each statement, parents before children, with its depth; roots have depth
// 0. It does not visit Further.
func (a *Argument) Walk(visit func(depth int, s *Statement)) { walk(a.Statements, 0, visit) }

func walk(list []*Statement, depth int, visit func(int, *Statement)) {
	for _, s := range list {
		visit(depth, s)
		walk(s.Children, depth+1, visit)
	}
}
