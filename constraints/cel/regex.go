package cel

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Bounds on regular expressions, which are RE2 and take time that grows with
// the product of the text and the expression.
const (
	// maxPattern bounds the text of a regular expression.
	maxPattern = 1 << 10
	// maxRegexProgram bounds the instructions that it compiles to.
	maxRegexProgram = 1_000
	// maxRegexWork bounds the product of these instructions and of the length
	// of the text that is matched.
	maxRegexWork = 500_000
	// regexWorkPerUnit is how much of that product is done for one unit.
	regexWorkPerUnit = 20
	// costOfPattern and costOfPatternByte are what it costs to compile one
	// that is not written in the rule.
	costOfPattern, costOfPatternByte = 100, 10
)

// pattern is a compiled regular expression.
type pattern struct {
	re *regexp.Regexp
	// work is how many instructions each byte of a text may take.
	work int
}

// matcher returns the guard of the function matches, which does all of its work. A pattern that is
// written in the rule is compiled here, once; one that does not compile, or is
// too large, makes the rule invalid. Any other is compiled by each call.
func matcher(arg interpreter.InterpretableV2) (guard, error) {
	if constant, ok := arg.(interpreter.InterpretableConst); ok {
		if text, ok := constant.Value().(types.String); ok {
			p, err := compilePattern(string(text))
			if err != nil {
				return nil, err
			}
			return func(m *meter, left, _ ref.Val, _ func() ref.Val) ref.Val { return p.match(m, left) }, nil
		}
	}
	return func(m *meter, left, right ref.Val, _ func() ref.Val) ref.Val {
		text, ok := right.(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(right)
		}
		m.charge(costOfPattern + costOfPatternByte*min(len(text), maxPattern))
		p, err := compilePattern(string(text))
		if err != nil {
			return types.WrapErr(err)
		}
		return p.match(m, left)
	}, nil
}

func compilePattern(text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("%w: a regular expression may have %d bytes", errTooLarge, maxPattern)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	work := instructions(parsed) // before the repetitions in it are written out
	if work <= maxRegexProgram {
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			return nil, err
		}
		work = len(program.Inst)
	}
	if work > maxRegexProgram {
		return nil, fmt.Errorf("%w: a regular expression may compile to %d instructions, this one takes more", errTooLarge, maxRegexProgram)
	}
	re, err := regexp.Compile(text)
	return &pattern{re, work}, err
}

// instructions returns at least how many instructions an expression compiles
// to, and stops soon after maxRegexProgram.
func instructions(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpEmptyMatch:
		return 0
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpConcat, syntax.OpCapture:
		n = 0
	}
	for _, sub := range re.Sub {
		if n += instructions(sub); n > maxRegexProgram {
			return n
		}
	}
	if re.Op == syntax.OpRepeat {
		n = (n - 1) * max(re.Min, re.Max)
	}
	return n
}

func (p *pattern) match(m *meter, v ref.Val) ref.Val {
	text, ok := v.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	if len(text) > maxRegexWork/p.work {
		return types.WrapErr(fmt.Errorf("%w for its regular expression: %d bytes", errTooLarge, len(text)))
	}
	m.charge(p.work * len(text) / regexWorkPerUnit)
	return types.Bool(p.re.MatchString(string(text)))
}
