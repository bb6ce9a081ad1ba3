// Package libsolv translates resolution problems for libsolv, the solver of
// several Linux distributions, so that both can be measured and compared on
// the same instance.
//
// [Translate] converts a request to a [Testcase]: repositories in the testtags
// format and a testcase for the program testsolv. [Run] runs it.
//
// # Translation
//
// The translation is satisfiable if and only if the request is.
//
//	bundle                   package "name version-release"; excluded bundles are
//	                         present only if installed
//	catalog and priority     repository and its priority
//	one bundle of a package  libsolv's own rule for packages of one name
//	package and range        versioned requirement (a >= 1.0.0 + a < 2.0.0) if all
//	                         versions of the package and the range are plain numbers;
//	                         otherwise a name that each matching bundle provides
//	GVK                      provided name; if several packages provide it, each
//	                         also conflicts with it
//	CEL, label, compounds    evaluated in advance: a name that each match provides
//	under PerBundle
//	all, any                 rich dependencies: (a & (b | c))
//	not                      conflict; below the top level an auxiliary package that
//	                         conflicts with the prohibited ones and is required instead
//	subscription             job: install one of its candidates
//	installed bundle         package of the system repository; job: install exactly
//	                         it, or one of the candidates of its subscription
//	cluster API              nothing: requirements for it are satisfied
//
// # Limitations
//
// Preferences are not translated. libsolv prefers the highest version and the
// repository of the highest priority, and lacks channels, the preference for a
// catalog's own bundles, and the order of subscriptions. The policies Goal and
// Deprecations, which only express preferences, therefore have no effect, and
// [Translate] rejects Partial. It also rejects forced bundles and constraints
// added by the caller, which no file can contain.
package libsolv
