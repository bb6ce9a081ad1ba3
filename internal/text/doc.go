// Package text makes the words of messages: it makes strange text inert, and
// shortens, counts, enumerates and suggests.
//
// Names and messages in catalogs are foreign: anybody may have written them.
// Whatever this package returns of them can be printed to a terminal, into a log
// or a page: it is valid UTF-8 without control characters, without characters
// that do not show, and without those that change the direction of writing. What
// would be one of them is written out, as in a Go string: \x1b, \u202e. White
// space other than a space becomes one, so that a text stays on its line.
//
// What is strange is made inert first, and shortened then:
//
//	text.Clip(text.Inert(message), 300)
//
// All functions are safe for concurrent use.
package text
