// Package argument says why something is or cannot be: the facts of a conflict, and the
// tree of statements that is made of them, with its renderings as text, HTML and JSON.
// Package resolver/draw draws it.
//
// A [Fact] is one of the things that cannot all hold, with its candidates and what rules
// each of them out. Resolvers find facts; [Of] makes an [Argument] of them, also of facts
// that a program found out by itself.
//
// The tree of an argument goes from what was asked for down to the facts that close the
// case. Each [Statement] says what it is about in a form that programs can read (its kind,
// the facts, the bundles), and in one sentence for people. All renderings in this package
// are made of exported fields, so that anybody can write another one; the JSON is that of
// the fields.
//
// Kinds and codes are stable. Sentences are for people and may change in any release. They
// are inert: whatever catalogs have in them, they can be printed to a terminal or a page.
// A tree is not changed once it is made, and may be read by any number of goroutines.
package argument

import (
	"fmt"
	"strings"
)

// Argument says why something cannot be.
type Argument struct {
	// Headline says in one line what cannot be, without a full stop.
	Headline string `json:"headline"`
	// Statements are the roots of the tree, in the order of the argument.
	Statements []*Statement `json:"statements"`
	// Omitted counts the statements that a very long argument leaves out.
	Omitted int `json:"omitted,omitempty"`
	// NotMinimal says that fewer facts may do: the search for them was stopped early.
	NotMinimal bool `json:"notMinimal,omitempty"`
	// Further are arguments about other things that cannot be, which have nothing to
	// do with this one and each other. MoreFurther says that there would be more,
	// or may be.
	Further     []*Argument `json:"further,omitempty"`
	MoreFurther bool        `json:"moreFurther,omitempty"`
	// Corrections are the changes that would resolve it, in words and best first, for a
	// picture to end in.
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
	// Facts are those of the conflict that it states, and Because those that it rests
	// on and that are stated elsewhere, both as indexes.
	Facts   []int `json:"facts,omitempty"`
	Because []int `json:"because,omitempty"`
	// Bundles are those that it is about.
	Bundles []string `json:"bundles,omitempty"`
	// Text is the sentence, without a full stop and what follows here.
	Text string `json:"text"`
	// Message is what an author says about it.
	Message string `json:"message,omitempty"`
	// For is what an author says about the part of a constraint that the bundles are
	// for.
	For string `json:"for,omitempty"`
	// Number is by what others refer to the statement; 0 if none does. See is the
	// number of the statement that gives the reasons; 0 if its children do.
	Number int `json:"number,omitempty"`
	See    int `json:"see,omitempty"`
	// Children are the reasons.
	Children []*Statement `json:"children,omitempty"`
}

// Sentence returns the whole sentence of a statement, in one line.
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

// Walk calls a function for each statement of an argument, parents before their
// children, with how deep it is: 0 for the roots. Further arguments are not looked
// at.
func (a *Argument) Walk(visit func(depth int, s *Statement)) { walk(a.Statements, 0, visit) }

func walk(list []*Statement, depth int, visit func(int, *Statement)) {
	for _, s := range list {
		visit(depth, s)
		walk(s.Children, depth+1, visit)
	}
}
