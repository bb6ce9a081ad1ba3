package graph

import (
	"cmp"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Severity is how bad a [Problem] is.
type Severity string

const (
	// SeverityError marks problems because of which something is quarantined or
	// ignored.
	SeverityError Severity = "error"
	// SeverityWarning marks input that works, but probably not as intended.
	SeverityWarning Severity = "warning"
)

const (
	scopeBundle  = "bundle"
	scopeChannel = "channel"
	scopePackage = "package"
)

// Problem is a finding about a catalog: the error, its position, and the
// quarantined part (section 10 of the semantics). It is plain data,
// renders as JSON, and implements error for strict readers.
type Problem struct {
	// Severity distinguishes errors from warnings.
	Severity Severity `json:"severity"`
	// Code is the kind of problem. It is stable; Message is not.
	Code Code `json:"code"`
	// Catalog is the catalog as its reader names it, or empty.
	Catalog string `json:"catalog,omitempty"`
	// Package, Channel and Bundle name the object concerned, each empty where
	// the problem does not lie inside one.
	Package string `json:"package,omitempty"`
	Channel string `json:"channel,omitempty"`
	Bundle  string `json:"bundle,omitempty"`
	// File and Line are its position; lines count from 1, and 0 is
	// unknown.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Message is a sentence: the problem and how to fix it.
	Message string `json:"message"`
	// Quarantined is the kind of object that this problem makes unusable, or empty:
	//
	//   - bundle: the bundle is never chosen; in its channels it is a virtual node that
	//     carries the chain
	//   - channel: the channel has no chain and no candidates
	//   - package: no channel of the package has candidates
	Quarantined string `json:"quarantined,omitempty"`
}

// Error renders the problem on one line: "file:line: message".
func (p *Problem) Error() string {
	var b strings.Builder
	if p.Catalog != "" {
		b.WriteString(text.Inert(p.Catalog))
		b.WriteString(": ")
	}
	if p.File != "" || p.Line > 0 {
		b.WriteString(Pos{text.Inert(p.File), max(0, p.Line)}.String())
		b.WriteString(": ")
	}
	b.WriteString(text.Inert(p.Message))
	return b.String()
}

// Compare orders problems by file, line, package, channel, bundle and
// code, and those that agree in all of it by message: the order in which every
// list of problems comes.
func (p Problem) Compare(o Problem) int {
	return cmp.Or(
		strings.Compare(p.File, o.File),
		cmp.Compare(p.Line, o.Line),
		strings.Compare(p.Package, o.Package),
		strings.Compare(p.Channel, o.Channel),
		strings.Compare(p.Bundle, o.Bundle),
		strings.Compare(string(p.Code), string(o.Code)),
		strings.Compare(p.Message, o.Message),
	)
}
