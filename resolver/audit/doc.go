// Package audit asks of every bundle in whole catalogs what becomes of it in
// practice: can it be installed on an empty cluster, and once it is installed, does
// it get to the head of its channel? And of the packages: which of them can never be
// installed together?
//
// [Run] asks, with a [resolver.Resolver]. [Writer] writes the answers as JSON lines,
// [Read] reads them back, and [Merge] puts the parts of an audit together that
// several machines made. [Report] shows an audit to people, as text or as a page of
// HTML.
package audit
