// Package draw draws the update graph of a package: as text ([Text]), for
// Graphviz ([DOT]), as a Mermaid flowchart ([Mermaid]), as a picture ([SVG]) and
// as plain data for JSON ([Data]).
//
// All show the same, and take time and space that grow with the channels, not
// with the number of edges, of which ranges of skipped versions can make as many
// as there are pairs of versions: 100 are shown of each version. All stop
// soon after the end of their context.
//
// Names and messages of a catalog are shown as text, whatever is in them. The
// functions are safe for concurrent use.
package draw
