package fbc

import "github.com/seed109e2655/resolute/cache/fbc/internal/read"

// Problems that the reader finds, in addition to those of package graph. Each is an
// error unless it says otherwise. Beside these, which programs tell apart, there are:
//
//   - schemaMissing: a blob has no schema.
//   - schemaUnknown: a blob has a schema that is nearly one of a catalog, such as olm.bundel,
//     and is ignored; blobs of other programs are no problem.
//   - fieldMissing: a blob lacks a field that it needs to be placed, its name or package.
//   - fieldType: a field has a value of the wrong type.
//   - fieldDuplicate: a field is given twice.
//   - deprecationDangling: an olm.deprecations blob is of a package that the catalog
//     does not have.
//   - fileSkipped: a file is not read, for its name does not end like one of a catalog
//     (a warning).
//   - ignorePattern: a line of an .indexignore file cannot be understood and is skipped
//     (a warning).
//
// and those that quarantine nothing: opm refuses the catalog, and a resolution need not.
//
//   - emptyDocument: a document of YAML has no content, as opm cuts the file: blanks,
//     comments or a marker --- alone.
//   - propertyNull: a property has the value null.
//   - imageMissing: a bundle has neither an image nor a property olm.bundle.object.
//   - imageInvalid: an image or a related image has a digest of an unknown algorithm or
//     of the wrong length.
//   - relatedImagesInvalid: the relatedImages of a bundle are not a list.
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
)
