package cel

import (
	"context"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/seed109e2655/resolute/properties"
)

// meterName is the variable that holds the meter of an evaluation. It is not a valid
// identifier, so no rule can access it.
const meterName = "@meter"

const (
	// bytesPerUnit is the number of bytes that can be scanned for one unit of cost, as in the
	// cost model of the language.
	bytesPerUnit = 10
	// checkInterval is the cost between two checks of the context: about a tenth of a
	// millisecond.
	checkInterval = 1_000
)

// meter charges for each step of an evaluation before it is executed. It ends the evaluation
// when the limit is exhausted or the context ends. No error handling in a rule (|| and &&
// ignore irrelevant errors) can hide that.
type meter struct {
	ctx       context.Context
	limit     uint64 // maximum cost
	spent     uint64
	nextCheck uint64 // cost at which the context is checked again
}

// charge charges for n units of work that is about to be done. If the evaluation must end,
// charge panics with the library's cancellation error, which the library recovers.
func (m *meter) charge(n int) {
	if n < 0 || uint64(n) > m.limit-m.spent {
		m.spent = m.limit
		panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: "it exceeds the cost limit of one evaluation"})
	}
	m.spent += uint64(n)
	if m.spent < m.nextCheck {
		return
	}
	m.nextCheck = m.spent + checkInterval
	if m.ctx.Err() != nil {
		panic(interpreter.EvalCancelledError{Cause: interpreter.ContextCancelled, Message: "its context ended"})
	}
}

// chargeBytes charges for scanning n bytes once.
func (m *meter) chargeBytes(n int) { m.charge(1 + n/bytesPerUnit) }

// activation provides the two variables of a rule and the meter of an evaluation.
type activation struct {
	meter               meter
	properties, cluster properties.Set
	lists               [2]ref.Val // converted on first use
}

func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case meterName:
		return &a.meter, true
	case varProperties:
		return a.list(0, a.properties), true
	case varCluster:
		return a.list(1, a.cluster), true
	}
	return nil, false
}

func (a *activation) list(i int, of properties.Set) ref.Val {
	if a.lists[i] == nil {
		a.lists[i] = listOf(of, &a.meter)
	}
	return a.lists[i]
}

func (a *activation) Parent() interpreter.Activation { return nil }

// meterOf returns the meter of a frame's evaluation.
func meterOf(frame *interpreter.ExecutionFrame) *meter {
	v, _ := frame.ResolveName(meterName)
	m, ok := v.(*meter)
	if !ok { // unreachable: every evaluation starts with an activation
		panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: "it has no meter"})
	}
	return m
}

// textSize returns the size of a string or bytes value in bytes, or 0 for other types.
func textSize(v ref.Val) int {
	switch v := v.(type) {
	case types.String:
		return len(v)
	case types.Bytes:
		return len(v)
	}
	return 0
}
