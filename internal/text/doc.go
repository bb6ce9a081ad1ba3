// Package text formats messages: it makes untrusted text inert, and shortens,
// counts, enumerates and suggests.
//
// Names and messages in catalogs are untrusted. The functions of this package
// make them safe to print to a terminal, a log or a page: valid UTF-8 without
// control characters, invisible characters or characters that change the
// direction of writing. Such characters are escaped as in a Go string: \x1b,
// \u202e. White space becomes a space, so that a text stays on one line.
//
// Make untrusted text inert before shortening it:
//
//	text.Clip(text.Inert(message), 300)
//
// All functions are safe for concurrent use.
package text
