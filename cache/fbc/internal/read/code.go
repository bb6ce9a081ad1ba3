package read

import "github.com/seed109e2655/resolute/graph"

// The codes of the problems that a reader reports; package fbc documents them.
const (
	CodeUnreadable          graph.Code = "unreadable"
	CodeSyntax              graph.Code = "syntax"
	CodeTruncated           graph.Code = "truncated"
	CodeTooLarge            graph.Code = "tooLarge"
	CodeNotObject           graph.Code = "notObject"
	CodeSchemaMissing       graph.Code = "schemaMissing"
	CodeSchemaUnknown       graph.Code = "schemaUnknown"
	CodeFieldMissing        graph.Code = "fieldMissing"
	CodeFieldType           graph.Code = "fieldType"
	CodeFieldDuplicate      graph.Code = "fieldDuplicate"
	CodeDeprecationDangling graph.Code = "deprecationDangling"
	CodePropertyNull        graph.Code = "propertyNull"
	CodeEmptyDocument       graph.Code = "emptyDocument"
	CodeImageMissing        graph.Code = "imageMissing"
	CodeImageInvalid        graph.Code = "imageInvalid"
	CodeRelatedInvalid      graph.Code = "relatedImagesInvalid"
	CodeFileSkipped         graph.Code = "fileSkipped"
	CodeIgnorePattern       graph.Code = "ignorePattern"
)
