package cel

import (
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Costs of single steps, as in the cost model of the language. Other steps cost one.
const (
	costOfList = 10
	costOfMap  = 30
)

// paid is a step that charges a fixed cost before it is evaluated: a short-circuit operator, a
// loop, or a list literal. The library's own cost tracker is not used: it searches all live
// values of the evaluation, so its time grows with the square of a loop.
type paid struct {
	interpreter.InterpretableV2
	cost int
}

func (p *paid) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	meterOf(frame).charge(p.cost)
	return p.InterpretableV2.Exec(frame)
}

func (p *paid) Eval(vars interpreter.Activation) ref.Val { return p.Exec(interpreter.AsFrame(vars)) }

// paidAttribute charges for a variable and its qualifiers before they are resolved, for each of
// the library's ways to resolve them.
type paidAttribute struct {
	interpreter.InterpretableAttribute
	cost int
}

var _ interpreter.Attribute = (*paidAttribute)(nil)

func (p *paidAttribute) charge(vars interpreter.Activation) {
	meterOf(interpreter.AsFrame(vars)).charge(p.cost)
}

func (p *paidAttribute) Attr() interpreter.Attribute { return p }

func (p *paidAttribute) AddQualifier(q interpreter.Qualifier) (interpreter.Attribute, error) {
	p.cost++
	_, err := p.InterpretableAttribute.AddQualifier(q)
	return p, err
}

func (p *paidAttribute) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	p.charge(frame)
	return p.InterpretableAttribute.Exec(frame)
}

func (p *paidAttribute) Eval(vars interpreter.Activation) ref.Val {
	return p.Exec(interpreter.AsFrame(vars))
}

func (p *paidAttribute) Resolve(vars interpreter.Activation) (any, error) {
	p.charge(vars)
	return p.InterpretableAttribute.Resolve(vars)
}

func (p *paidAttribute) Qualify(vars interpreter.Activation, obj any) (any, error) {
	p.charge(vars)
	return p.InterpretableAttribute.Qualify(vars, obj)
}

func (p *paidAttribute) QualifyIfPresent(vars interpreter.Activation, obj any, presenceOnly bool) (any, bool, error) {
	p.charge(vars)
	return p.InterpretableAttribute.QualifyIfPresent(vars, obj, presenceOnly)
}

// payTexts charges for a call by the length of its string arguments.
func payTexts(m *meter, function string, left, right ref.Val) {
	bytes := textSize(left) + textSize(right)
	switch function {
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		bytes = min(textSize(left), textSize(right)) // compares at most the shorter length
	}
	m.chargeBytes(bytes)
}

// oldNotStrictlyFalse is a deprecated name that cel-go still declares.
const oldNotStrictlyFalse = "__not_strictly_false__"

// nonStrict reports whether a function is called even if its argument is an error.
func nonStrict(function string) bool {
	return function == operators.NotStrictlyFalse || function == oldNotStrictlyFalse
}

// pay makes a step of a planned rule charge its cost before it is evaluated.
func pay(i interpreter.InterpretableV2) interpreter.InterpretableV2 {
	switch i := i.(type) {
	case *paid, *paidAttribute, *guarded, *orderedLiteral, interpreter.InterpretableConst:
		return i
	case interpreter.InterpretableAttribute:
		return &paidAttribute{i, 1}
	case interpreter.InterpretableConstructor:
		if i.Type() == types.MapType {
			return &paid{&orderedLiteral{i}, costOfMap + len(i.InitVals())/bytesPerUnit}
		}
		return &paid{i, costOfList + len(i.InitVals())/bytesPerUnit}
	}
	return &paid{i, 1}
}
