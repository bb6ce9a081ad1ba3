package cel

import (
	"context"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/seed109e2655/resolute/properties"
)

// meterName is the name under which an evaluation finds its meter. It is not
// an identifier of the language, so no rule can ask for it.
const meterName = "@meter"

const (
	// bytesPerUnit is how much text is gone through for one unit of cost, as in
	// the cost model of the language.
	bytesPerUnit = 10
	// lookEvery is how much a meter spends before it looks at its context
	// again: about a tenth of a millisecond.
	lookEvery = 1_000
)

// meter charges for each step of an evaluation before it is done. It ends the evaluation when the limit is reached or the context
// ends, and nothing that a rule does with errors (|| and && ignore those that do
// not matter) can hide that it did.
type meter struct {
	ctx   context.Context
	limit uint64 // what may be spent
	spent uint64
	look  uint64 // when to look at the context again
}

// charge pays for n units of work that is about to be done. If the evaluation
// may not go on, charge does not return: it panics with the error with which
// the library ends evaluations, and which it recovers.
func (m *meter) charge(n int) {
	if n < 0 || uint64(n) > m.limit-m.spent {
		m.spent = m.limit
		panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: "it costs more than one evaluation may"})
	}
	m.spent += uint64(n)
	if m.spent < m.look {
		return
	}
	m.look = m.spent + lookEvery
	if m.ctx.Err() != nil {
		panic(interpreter.EvalCancelledError{Cause: interpreter.ContextCancelled, Message: "its context ended"})
	}
}

// chargeBytes pays for going through a text once.
func (m *meter) chargeBytes(n int) { m.charge(1 + n/bytesPerUnit) }

// activation gives a rule its two variables, and the evaluation its meter.
type activation struct {
	meter               meter
	properties, cluster properties.Set
	lists               [2]ref.Val // of these, once they were asked for
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

// meterOf returns the meter of the evaluation that a frame belongs to.
func meterOf(frame *interpreter.ExecutionFrame) *meter {
	v, _ := frame.ResolveName(meterName)
	m, ok := v.(*meter)
	if !ok { // not reached: every evaluation starts with an activation
		panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: "it has no meter"})
	}
	return m
}

// textSize returns the size of a text in bytes, or 0 for what is not a text.
func textSize(v ref.Val) int {
	switch v := v.(type) {
	case types.String:
		return len(v)
	case types.Bytes:
		return len(v)
	}
	return 0
}
