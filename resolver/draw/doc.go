// Package draw draws the update graph of a package: as text ([Text]), for Graphviz ([DOT]), as
// a Mermaid flowchart ([Mermaid]), as a picture ([SVG]) and as plain data for JSON ([Data]). It
// draws solutions ([Solution]), conflicts ([Conflict]) and upgrade paths ([Path]) as a
// [Picture] in three of these forms.
//
// All forms of an update graph show the same content. Their time and space grow with the
// channels, not with the number of edges: ranges of skipped versions can make an edge for each
// pair of versions, of which at most 100 per version are drawn. All functions stop soon after
// their context ends.
//
// Names and messages of a catalog are untrusted and escaped. The functions are safe for
// concurrent use.
package draw
