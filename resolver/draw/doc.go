// Package draw draws the update graph of a package: as text ([Text]), for Graphviz ([DOT]), as
// a Mermaid flowchart ([Mermaid]), as a picture ([SVG]) and as plain data for JSON ([Data]). It
// draws solutions ([Solution]), conflicts ([Conflict]) and upgrade paths ([Path]) as a [Picture] of the same three forms.
//
// All forms of an update graph show the same, and take time and space that grow with the
// channels, not with the number of edges: ranges of skipped versions can make as many edges as
// there are pairs of versions, of which at most 100 of each version are shown. All stop soon after
// their context ends.
//
// Names and messages of a catalog are shown as text, whatever is in them. The functions are safe
// for concurrent use.
package draw
