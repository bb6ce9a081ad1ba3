// Package trace has what happens in a resolution, as values. A resolver calls [Hooks] with
// them as they happen; [Log] and [Measure] are hooks that log and measure them; and a
// [Recorder] makes a [Trace] of them: every decision in its order with the candidates that
// it looked at, what the solver was asked, where the search ran into a dead end and how far
// it went back, and the answer.
package trace

import "cmp"

// Trace is the record of one resolution: every decision in its order with the
// candidates it looked at, what the solver was asked, where the search ran into a
// dead end and how far it went back, and the answer.
//
// Without durations it is determined by the request: the same request gives the
// same trace, byte for byte, in any form. It marshals to JSON with the keys of
// its fields; names and texts in it are as they come from the request and the
// catalogs. [Trace.Text] is made inert.
type Trace struct {
	// Namespace, Subscriptions and Installed say what was resolved, as [Began].
	Namespace     string `json:"namespace"`
	Subscriptions int    `json:"subscriptions"`
	Installed     int    `json:"installed"`
	// Events are what happened, in order.
	Events []Event `json:"events,omitempty"`
	// Outcome, Set and Error are the answer: the result set, or the error in
	// short.
	Outcome Outcome  `json:"outcome"`
	Set     []string `json:"set,omitempty"`
	Error   string   `json:"error,omitempty"`
	// Stats count the work, with the cost of rules.
	Stats struct {
		Stats
		CELCost uint64 `json:"celCost,omitempty"`
	} `json:"stats"`
	// Took is the whole time, if it was asked for.
	Took Duration `json:"tookMs,omitempty"`
}

// The defaults of [Options].
const (
	DefaultEvents     = 10_000
	DefaultCandidates = 20
)

// Options bound a trace. The zero value is the default.
type Options struct {
	// Events is how many events are kept: the first half of them and the last
	// half, with one between that counts those dropped. Zero stands for
	// DefaultEvents, a negative number for all.
	Events int
	// Candidates is how many refused candidates of one decision are listed, the
	// best ones; the others are counted by verdict. Zero stands for
	// DefaultCandidates, a negative number for all.
	Candidates int
	// Durations records how long things took.
	Durations bool
}

// NewRecorder returns what records one resolution: give its hooks to a resolver by
// resolver.WithHooks, resolve, and take the trace.
//
//	recorder := trace.NewRecorder(trace.Options{})
//	solution, err := r.With(resolver.WithHooks(recorder.Hooks())).Resolve(ctx, request)
//	record := recorder.Trace()
//
// It is not safe for concurrent use.
func NewRecorder(opts Options) *Recorder {
	opts.Events, opts.Candidates = cmp.Or(opts.Events, DefaultEvents), cmp.Or(opts.Candidates, DefaultCandidates)
	return &Recorder{opts: opts}
}
