package cel

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"

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
	// maxPatternRunes bounds the ends of ranges in the classes of these instructions.
	maxPatternRunes = 50_000
	// maxRegexWork bounds the product of these instructions and of the length
	// of the text that is matched.
	maxRegexWork = 500_000
	// regexWorkPerUnit is how much of that product is done for one unit.
	regexWorkPerUnit = 20
	// maxPatternWork bounds the time, in microseconds as [patternWork] estimates it, that
	// compiling one expression may take, and all that are written in a rule.
	maxPatternWork = 10_000
	// unitsPerMicrosecond is the cost of a microsecond that an expression takes to compile
	// that is not written in the rule.
	unitsPerMicrosecond = 10
)

// pattern is a compiled regular expression.
type pattern struct {
	re *regexp.Regexp
	// work is how many instructions each byte of a text may take.
	work int
}

// patterns are those that are written in one rule, compiled.
type patterns struct {
	compiled map[string]*pattern
	work     int // what they took to compile, in microseconds
}

// compile compiles a pattern of the rule, once if it is written several times.
func (p *patterns) compile(text string) (*pattern, error) {
	if known := p.compiled[text]; known != nil {
		return known, nil
	}
	if p.work += patternWork(text); p.work > maxPatternWork && len(p.compiled) > 0 {
		return nil, fmt.Errorf("%w: the regular expressions of the rule would take too long to compile", errTooLarge)
	}
	compiled, err := compilePattern(text)
	if err != nil {
		return nil, err
	}
	p.work += workOfInstruction * compiled.work
	if p.compiled == nil {
		p.compiled = make(map[string]*pattern)
	}
	p.compiled[text] = compiled
	return compiled, nil
}

// matcher returns the guard of the function matches, which does all of its work. A pattern that is
// written in the rule is compiled here, once; one that does not compile, or is
// too large, makes the rule invalid. Any other is compiled by each call.
func (p *patterns) matcher(arg interpreter.InterpretableV2) (guard, error) {
	if constant, ok := arg.(interpreter.InterpretableConst); ok {
		if text, ok := constant.Value().(types.String); ok {
			p, err := p.compile(string(text))
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
		if len(text) <= maxPattern {
			m.charge(unitsPerMicrosecond * patternWork(string(text)))
		}
		p, err := compilePattern(string(text))
		if err != nil {
			return types.WrapErr(err)
		}
		m.charge(unitsPerMicrosecond * workOfInstruction * p.work)
		return p.match(m, left)
	}, nil
}

func compilePattern(text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("%w: a regular expression may have %d bytes", errTooLarge, maxPattern)
	}
	if patternWork(text) > maxPatternWork {
		return nil, fmt.Errorf("%w: the regular expression would take too long to compile", errTooLarge)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	n, runes := instructions(parsed) // before the repetitions in it are written out
	if runes > maxPatternRunes {
		return nil, fmt.Errorf("%w: the classes of a regular expression may have %d ranges, those of this one have more", errTooLarge, maxPatternRunes/2)
	}
	if n <= maxRegexProgram {
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			return nil, err
		}
		n = len(program.Inst)
	}
	if n > maxRegexProgram {
		return nil, fmt.Errorf("%w: a regular expression may compile to %d instructions, this one takes more", errTooLarge, maxRegexProgram)
	}
	re, err := regexp.Compile(text)
	return &pattern{re, n}, err
}

// Estimates of what parts of a pattern take to compile, in microseconds.
const (
	workOfPattern     = 20
	workOfPatternByte = 2
	// workOfInstruction is that of an instruction of the program.
	workOfInstruction = 4
	// workOfTable is that of a class of Unicode, as \pL, which may have hundreds of ranges.
	workOfTable = 300
	// foldsPerMicrosecond is how many characters of a range are folded, one by one, in a
	// pattern that ignores case.
	foldsPerMicrosecond = 16
	// lastFold is the last character that has an upper or lower case.
	lastFold = 0x1e943
)

// patternWork estimates how many microseconds a pattern takes to compile, from its text
// alone: the parser cannot be interrupted. It is no parser, and takes all that looks like
// a class or range for one.
func patternWork(text string) int {
	work := workOfPattern + workOfPatternByte*len(text)
	folds := strings.Contains(text, "(?")
	for i := range len(text) - 1 {
		switch rest := text[i+1:]; {
		case text[i] == '\\' && (rest[0] == 'p' || rest[0] == 'P'):
			work += workOfTable
		case text[i] == '-' && folds:
			work += min(lastRune(rest), lastFold) / foldsPerMicrosecond
		}
	}
	return work
}

// lastRune returns the character with which a range ends that goes on with text, or one
// that is not smaller.
func lastRune(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if r != '\\' {
		return int(r)
	}
	hex, ok := strings.CutPrefix(text[size:], "x{")
	if !ok {
		return 0o777 // the largest of any other escape
	}
	hex, _, _ = strings.Cut(hex, "}")
	if n, err := strconv.ParseUint(hex, 16, 31); err == nil {
		return int(n)
	}
	return utf8.MaxRune
}

// instructions returns at least how many instructions an expression compiles to, and how
// many ends of ranges they hold, and stops soon after the limits of these.
func instructions(re *syntax.Regexp) (n, runes int) {
	n = 1
	switch re.Op {
	case syntax.OpEmptyMatch:
		return 0, 0
	case syntax.OpLiteral:
		n, runes = len(re.Rune), len(re.Rune)
	case syntax.OpCharClass:
		runes = len(re.Rune)
	case syntax.OpConcat, syntax.OpCapture:
		n = 0
	}
	for _, sub := range re.Sub {
		subN, subRunes := instructions(sub)
		n, runes = n+subN, runes+subRunes
		if n > maxRegexProgram || runes > maxPatternRunes {
			return n, runes
		}
	}
	if re.Op == syntax.OpRepeat {
		n, runes = (n-1)*max(re.Min, re.Max), runes*max(1, re.Min, re.Max)
	}
	return n, runes
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
