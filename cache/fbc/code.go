package fbc

import "github.com/seed109e2655/resolute/graph"

// Problems that the reader finds, in addition to those of package graph. Each
// is an error unless it says otherwise.
const (
	// CodeUnreadable: a file or directory cannot be read, or not to its end.
	CodeUnreadable graph.Code = "unreadable"
	// CodeSyntax: this is not valid JSON or YAML.
	CodeSyntax graph.Code = "syntax"
	// CodeTruncated: the input ends in the middle of a blob.
	CodeTruncated graph.Code = "truncated"
	// CodeTooLarge: a blob has more bytes, values, levels or items, or a longer
	// name, than [Options].MaxBlobBytes, MaxNodes, MaxDepth, MaxItems or
	// MaxNameBytes allow.
	CodeTooLarge graph.Code = "tooLarge"
	// CodeNotObject: a value that should be a blob is not an object.
	CodeNotObject graph.Code = "notObject"
	// CodeSchemaMissing: a blob has no schema.
	CodeSchemaMissing graph.Code = "schemaMissing"
	// CodeFieldMissing: a blob lacks a field that it needs to be placed, its
	// name or package.
	CodeFieldMissing graph.Code = "fieldMissing"
	// CodeFieldType: a field has a value of the wrong type.
	CodeFieldType graph.Code = "fieldType"
	// CodeFieldDuplicate: a field is given twice.
	CodeFieldDuplicate graph.Code = "fieldDuplicate"
	// CodeDeprecationDangling: an olm.deprecations blob is of a package that
	// the catalog does not have (a warning).
	CodeDeprecationDangling graph.Code = "deprecationDangling"
	// CodeFileSkipped: a file is not read, for its name does not end like one
	// of a catalog (a warning).
	CodeFileSkipped graph.Code = "fileSkipped"
	// CodeIgnorePattern: a line of an .indexignore file cannot be understood
	// and is passed over (a warning).
	CodeIgnorePattern graph.Code = "ignorePattern"
)
