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

// Bounds on regular expressions. They are RE2, so their time grows with the product of the
// lengths of text and expression.
const (
	// maxPattern is the maximum length of a regular expression in bytes.
	maxPattern = 1 << 10
	// maxRegexProgram is the maximum number of instructions it compiles to.
	maxRegexProgram = 1_000
	// maxPatternRunes is the maximum number of range ends in the character classes of these
	// instructions.
	maxPatternRunes = 50_000
	// maxRegexWork is the maximum product of the number of instructions and the length of the
	// matched text.
	maxRegexWork = 500_000
	// regexWorkPerUnit is the part of that product that one unit of cost covers.
	regexWorkPerUnit = 20
	// maxPatternWork is the maximum time for compiling one regular expression, and all those in
	// a rule, in microseconds as estimated by [patternWork].
	maxPatternWork = 10_000
	// unitsPerMicrosecond is the cost of a microsecond that an expression takes to compile
	// that is not written in the rule.
	unitsPerMicrosecond = 10
)

// pattern is a compiled regular expression.
type pattern struct {
	re *regexp.Regexp
	// work is the number of instructions that each byte of a text may take.
	work int
}

// patterns are the compiled regular expressions of one rule.
type patterns struct {
	compiled map[string]*pattern
	work     int // estimated time of compiling them, in microseconds
}

// compile compiles a pattern of the rule. Repeated patterns are compiled once.
func (p *patterns) compile(text string) (*pattern, error) {
	if known := p.compiled[text]; known != nil {
		return known, nil
	}
	if p.work += patternWork(text); p.work > maxPatternWork && len(p.compiled) > 0 {
		return nil, fmt.Errorf("%w: the regular expressions of the rule take too long to compile", errTooLarge)
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

// matcher returns the guard of the function matches, which implements it completely. A literal
// pattern is compiled here, once; if it is invalid or too large, so is the rule. Any other
// pattern is compiled by each call.
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
		return nil, fmt.Errorf("%w: a regular expression is longer than %d bytes", errTooLarge, maxPattern)
	}
	if patternWork(text) > maxPatternWork {
		return nil, fmt.Errorf("%w: the regular expression takes too long to compile", errTooLarge)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	n, runes := instructions(parsed) // before repetitions are expanded
	if runes > maxPatternRunes {
		return nil, fmt.Errorf("%w: the character classes of a regular expression have more than %d ranges", errTooLarge, maxPatternRunes/2)
	}
	if n <= maxRegexProgram {
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			return nil, err
		}
		n = len(program.Inst)
	}
	if n > maxRegexProgram {
		return nil, fmt.Errorf("%w: a regular expression compiles to more than %d instructions", errTooLarge, maxRegexProgram)
	}
	re, err := regexp.Compile(text)
	return &pattern{re, n}, err
}

// Estimated times of compiling the parts of a pattern, in microseconds.
const (
	workOfPattern     = 20
	workOfPatternByte = 2
	// workOfInstruction is the time of one instruction of the program.
	workOfInstruction = 4
	// workOfTable is the time of a Unicode class such as \pL, which may have hundreds of
	// ranges.
	workOfTable = 300
	// foldsPerMicrosecond is how many characters of a range are case-folded per microsecond in
	// a case-insensitive pattern.
	foldsPerMicrosecond = 16
	// lastFold is the last character with an uppercase or lowercase form.
	lastFold = 0x1e943
)

// patternWork estimates the time of compiling a pattern, in microseconds, from its text alone,
// because the parser cannot be interrupted. It does not parse the pattern, and counts
// everything that looks like a class or range.
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

// lastRune returns the end of a range that continues with text, or a larger character.
func lastRune(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if r != '\\' {
		return int(r)
	}
	hex, ok := strings.CutPrefix(text[size:], "x{")
	if !ok {
		return 0o777 // maximum of any other escape
	}
	hex, _, _ = strings.Cut(hex, "}")
	if n, err := strconv.ParseUint(hex, 16, 31); err == nil {
		return int(n)
	}
	return utf8.MaxRune
}

// instructions returns a lower bound of the number of instructions of an expression, and the
// number of range ends in them. It stops soon after their limits.
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
