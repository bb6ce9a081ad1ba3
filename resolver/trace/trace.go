// Package trace defines the events of a resolution. A resolver calls [Hooks] with them as they
// occur. [Log] and [Measure] return hooks that log and measure. A [Recorder] collects a [Trace]:
// the decisions with their candidates, the solver calls, the dead ends and backtracks, and the
// answer.
package trace

import (
	"cmp"

	"github.com/seed109e2655/resolute/graph"
)

// Trace is the record of one resolution: the decisions with their candidates, the solver calls,
// the dead ends and backtracks, and the answer.
//
// Without durations a trace is deterministic: the same request gives the same bytes. Names and
// texts in the JSON form are verbatim; [Trace.Text] escapes control characters.
type Trace struct {
	// Namespace, Subscriptions and Installed describe the request, as in [Began].
	Namespace     string `json:"namespace"`
	Subscriptions int    `json:"subscriptions"`
	Installed     int    `json:"installed"`
	// Terms are the nouns of [Trace.Text].
	Terms graph.Terms `json:"-"`
	// Events are in order.
	Events []Event `json:"events,omitempty"`
	// Outcome, Set and Error are the answer: the result set, or the error text.
	Outcome Outcome  `json:"outcome"`
	Set     []string `json:"set,omitempty"`
	Error   string   `json:"error,omitempty"`
	// Stats count the work, with the cost of rules.
	Stats struct {
		Stats
		CELCost uint64 `json:"celCost,omitempty"`
	} `json:"stats"`
	// Took is the total duration, if durations are recorded.
	Took Duration `json:"tookMs,omitempty"`
}

// The defaults of [Options].
const (
	DefaultEvents     = 10_000
	DefaultCandidates = 20
)

// Options limit the size of a trace. The zero value is the default.
type Options struct {
	// Events is the maximum number of events. The first and the last half are kept, with one
	// event between them that counts those dropped. Zero means DefaultEvents, a negative number
	// no limit.
	Events int
	// Candidates is the maximum number of rejected candidates listed per decision, best first;
	// the others are counted by verdict. Zero means DefaultCandidates, a negative number no
	// limit.
	Candidates int
	// Durations enables the recording of durations.
	Durations bool
}

// NewRecorder returns a recorder for one resolution. Pass its hooks to a resolver:
//
//	recorder := trace.NewRecorder(trace.Options{})
//	solution, err := r.With(resolver.WithHooks(recorder.Hooks())).Resolve(ctx, request)
//	record := recorder.Trace()
//
// A recorder is not safe for concurrent use.
func NewRecorder(opts Options) *Recorder {
	opts.Events, opts.Candidates = cmp.Or(opts.Events, DefaultEvents), cmp.Or(opts.Candidates, DefaultCandidates)
	return &Recorder{opts: opts}
}
