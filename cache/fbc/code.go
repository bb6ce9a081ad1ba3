package fbc

import "github.com/seed109e2655/resolute/cache/fbc/internal/code"

// Problems that the reader finds, in addition to those of package graph. Each
// is an error unless it says otherwise.
const (
	// CodeUnreadable: a file or directory cannot be read, or not to its end.
	CodeUnreadable = code.Unreadable
	// CodeSyntax: this is not valid JSON or YAML.
	CodeSyntax = code.Syntax
	// CodeTruncated: the input ends in the middle of a blob.
	CodeTruncated = code.Truncated
	// CodeTooLarge: a blob has more bytes, values, levels or items, or a longer
	// name, than [Options].MaxBlobBytes, MaxNodes, MaxDepth, MaxItems or
	// MaxNameBytes allow.
	CodeTooLarge = code.TooLarge
	// CodeNotObject: a value that should be a blob is not an object.
	CodeNotObject = code.NotObject
	// CodeSchemaMissing: a blob has no schema.
	CodeSchemaMissing = code.SchemaMissing
	// CodeFieldMissing: a blob lacks a field that it needs to be placed, its
	// name or package.
	CodeFieldMissing = code.FieldMissing
	// CodeFieldType: a field has a value of the wrong type.
	CodeFieldType = code.FieldType
	// CodeFieldDuplicate: a field is given twice.
	CodeFieldDuplicate = code.FieldDuplicate
	// CodeDeprecationDangling: an olm.deprecations blob is of a package that
	// the catalog does not have (a warning).
	CodeDeprecationDangling = code.DeprecationDangling
	// CodeFileSkipped: a file is not read, for its name does not end like one
	// of a catalog (a warning).
	CodeFileSkipped = code.FileSkipped
	// CodeIgnorePattern: a line of an .indexignore file cannot be understood
	// and is skipped (a warning).
	CodeIgnorePattern = code.IgnorePattern
)
