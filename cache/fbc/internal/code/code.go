// Package code has the codes of the problems that a reader finds. What each means
// stands in package fbc, which has them too.
package code

import "github.com/seed109e2655/resolute/graph"

// The codes.
const (
	Unreadable          graph.Code = "unreadable"
	Syntax              graph.Code = "syntax"
	Truncated           graph.Code = "truncated"
	TooLarge            graph.Code = "tooLarge"
	NotObject           graph.Code = "notObject"
	SchemaMissing       graph.Code = "schemaMissing"
	FieldMissing        graph.Code = "fieldMissing"
	FieldType           graph.Code = "fieldType"
	FieldDuplicate      graph.Code = "fieldDuplicate"
	DeprecationDangling graph.Code = "deprecationDangling"
	FileSkipped         graph.Code = "fileSkipped"
	IgnorePattern       graph.Code = "ignorePattern"
)
