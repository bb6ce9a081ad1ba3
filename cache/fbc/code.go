package fbc

import "github.com/seed109e2655/resolute/cache/fbc/internal/read"

// Problems that the reader finds, in addition to those of package graph. Each
// is an error unless it says otherwise.
const (
	// CodeUnreadable: a file or directory cannot be read, or not to its end.
	CodeUnreadable = read.CodeUnreadable
	// CodeSyntax: this is not valid JSON or YAML.
	CodeSyntax = read.CodeSyntax
	// CodeTruncated: the input ends in the middle of a blob.
	CodeTruncated = read.CodeTruncated
	// CodeTooLarge: a blob has more bytes, values, levels or items, or a longer
	// name, than [Options].MaxBlobBytes, MaxNodes, MaxDepth, MaxItems or
	// MaxNameBytes allow.
	CodeTooLarge = read.CodeTooLarge
	// CodeNotObject: a value that should be a blob is not an object.
	CodeNotObject = read.CodeNotObject
	// CodeSchemaMissing: a blob has no schema.
	CodeSchemaMissing = read.CodeSchemaMissing
	// CodeFieldMissing: a blob lacks a field that it needs to be placed, its
	// name or package.
	CodeFieldMissing = read.CodeFieldMissing
	// CodeFieldType: a field has a value of the wrong type.
	CodeFieldType = read.CodeFieldType
	// CodeFieldDuplicate: a field is given twice.
	CodeFieldDuplicate = read.CodeFieldDuplicate
	// CodeDeprecationDangling: an olm.deprecations blob is of a package that
	// the catalog does not have.
	CodeDeprecationDangling = read.CodeDeprecationDangling
	// CodeEmptyDocument: a document of YAML has no content, as opm cuts the file: blanks,
	// comments or a marker --- alone. This one and the next four quarantine nothing: opm
	// refuses the catalog, and a resolution need not.
	CodeEmptyDocument = read.CodeEmptyDocument
	// CodePropertyNull: a property has the value null.
	CodePropertyNull = read.CodePropertyNull
	// CodeImageMissing: a bundle has neither an image nor a property olm.bundle.object.
	CodeImageMissing = read.CodeImageMissing
	// CodeImageInvalid: an image or a related image has a digest of an unknown
	// algorithm or of the wrong length.
	CodeImageInvalid = read.CodeImageInvalid
	// CodeRelatedInvalid: the relatedImages of a bundle are not a list.
	CodeRelatedInvalid = read.CodeRelatedInvalid
	// CodeFileSkipped: a file is not read, for its name does not end like one
	// of a catalog (a warning).
	CodeFileSkipped = read.CodeFileSkipped
	// CodeIgnorePattern: a line of an .indexignore file cannot be understood
	// and is skipped (a warning).
	CodeIgnorePattern = read.CodeIgnorePattern
)
