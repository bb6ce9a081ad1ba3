// Package scenario reads and writes resolution problems as files, and answers
// them.
//
// A scenario is one problem in one file: the catalogs (by path, or their blobs
// in place), what is installed, the subscriptions, the cluster, the policy, and
// optionally changed problems (what-ifs) and the answer that is expected. It is
// what a user attaches to a bug report, what a failing property test writes out,
// and what the command line works on.
//
// The format is YAML or JSON and strict: an unknown key, a wrong type or a
// missing name is an [*Error] with file and line, and all of them are reported
// at once.
//
//	s, err := scenario.ReadFile("problem.yaml")   // or Read (fs.FS), Parse (bytes)
//	answer := new(scenario.Runner).Run(ctx, s)    // status, set, steps, conflict …
//
// [Loader.Load] stops half way, at the [resolver.Request], for programs that
// want to go on by themselves. [Runner.Test] holds the answer against what the
// file expects.
package scenario
