package cel

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/properties"
)

// Random rules and properties share a few words, so that they often match.
var (
	wordTypes  = []string{"a", "b", "olm.package", "olm.label"}
	wordValues = []string{`"blue"`, `"red"`, `1`, `{"packageName": "blue"}`, `{"k": 1}`, `["a", "blue"]`, `true`, `{"type": "a"}`}
	wordNames  = []string{"blue", "red", "a", "b"}
)

// gen draws random rules. vars are the variables in scope. They have any type, so their use is
// often an error.
type gen struct {
	t *rapid.T
}

// pick draws one of the strings.
func (g gen) pick(label string, texts ...string) string {
	return rapid.SampledFrom(texts).Draw(g.t, label)
}

// boolean draws a boolean expression.
func (g gen) boolean(depth int, vars []string) string {
	if depth <= 0 {
		return g.atom(vars)
	}
	sub := func() string { return g.boolean(depth-1, vars) }
	switch rapid.IntRange(0, 13).Draw(g.t, "boolean") {
	case 0, 1:
		return "(" + sub() + " && " + sub() + ")"
	case 2, 3:
		return "(" + sub() + " || " + sub() + ")"
	case 4:
		return "!(" + sub() + ")"
	case 5:
		return "(" + sub() + " ? " + sub() + " : " + sub() + ")"
	case 6, 7, 8, 9:
		v := g.variable()
		macro := g.pick("macro", "exists", "exists", "all", "exists_one")
		return g.list(depth-1, vars) + "." + macro + "(" + v + ", " + g.boolean(depth-1, append(vars[:len(vars):len(vars)], v)) + ")"
	case 10:
		size := g.list(depth-1, vars) + ".size()"
		op, n := g.pick("op", "==", "!=", "<", "<=", ">", ">="), strconv.Itoa(rapid.IntRange(0, 2).Draw(g.t, "n"))
		if rapid.Bool().Draw(g.t, "swap") {
			return "(" + n + " " + op + " " + size + ")"
		}
		return "(" + size + " " + op + " " + n + ")"
	case 11:
		return "(dyn(" + g.text(vars) + ") in " + g.list(depth-1, vars) + ")"
	case 12:
		return "((" + sub() + ") " + g.pick("eq", "==", "!=") + " " + g.pick("bool", "true", "false") + ")"
	default:
		return "(" + g.list(depth-1, vars) + g.pick("eq", " == ", " != ") + "[])"
	}
}

// atom draws a comparison or constant.
func (g gen) atom(vars []string) string {
	switch rapid.IntRange(0, 9).Draw(g.t, "atom") {
	case 0:
		return g.pick("constant", "true", "false")
	case 1:
		return "(" + g.term(vars) + " in [" + g.text(nil) + ", " + g.text(nil) + "])"
	case 2:
		return "(" + g.term(vars) + " == " + g.pick("bool", "true", "false") + ")"
	case 3:
		return "(" + g.text(nil) + " == " + g.term(vars) + ")"
	case 4:
		return "(" + g.term(vars) + " != " + g.text(nil) + ")"
	default:
		return "(" + g.term(vars) + " == " + g.text(nil) + ")"
	}
}

// text draws a string literal.
func (g gen) text([]string) string {
	return strconv.Quote(g.pick("text", append(wordTypes, wordNames...)...))
}

// term draws an operand of a comparison.
func (g gen) term(vars []string) string {
	of := g.pick("of", append([]string{"properties[0]", "properties[1]", "cluster[0]"}, append(vars, vars...)...)...)
	if rapid.IntRange(0, 9).Draw(g.t, "whole") == 0 {
		return "dyn(" + of + ")" // a map is comparable with a string only at run time
	}
	return of + g.pick("select", ".type", ".type", ".type", `["type"]`, ".value", ".value.packageName", `["value"].packageName`, ".value.k")
}

// list draws a list expression.
func (g gen) list(depth int, vars []string) string {
	if depth <= 0 {
		return g.pick("list", "properties", "properties", "properties", "cluster")
	}
	v := g.variable()
	inner := append(vars[:len(vars):len(vars)], v)
	switch rapid.IntRange(0, 7).Draw(g.t, "list kind") {
	case 0, 1:
		return g.list(depth-1, vars) + ".filter(" + v + ", " + g.boolean(depth-1, inner) + ")"
	case 2:
		return g.list(depth-1, vars) + ".map(" + v + ", " + g.term(inner) + ")"
	case 3:
		return g.list(depth-1, vars) + ".map(" + v + ", " + g.boolean(depth-1, inner) + ", " + g.term(inner) + ")"
	case 4:
		return "[" + g.term(vars) + "]"
	default:
		return "properties"
	}
}

// variable draws a name. Names may shadow each other and the globals.
func (g gen) variable() string {
	return g.pick("variable", "p", "p", "q", "r", "properties", "cluster")
}

// randomSet draws the properties of a bundle.
func randomSet(t *rapid.T, label string) properties.Set {
	var list []*properties.Property
	for range rapid.IntRange(0, 3).Draw(t, label) {
		typ := rapid.SampledFrom(wordTypes).Draw(t, "type")
		value := rapid.SampledFrom(wordValues).Draw(t, "value")
		name := rapid.SampledFrom(wordNames).Draw(t, "name")
		switch typ {
		case properties.TypePackage:
			value = fmt.Sprintf(`{"packageName": %q, "version": "1.0.0"}`, name)
		case properties.TypeLabel:
			value = fmt.Sprintf(`{"label": %q}`, name)
		}
		p := testkit.Must(properties.New(typ, []byte(value)))(t)
		list = append(list, p)
	}
	return properties.NewSet(list...)
}

// A matching bundle satisfies Needs, a rule with ClusterOnly has the same result for all
// bundles, and the analysis finds demands in enough rules.
func TestNeedsAreSound(t *testing.T) {
	compiler := NewCompiler(Options{})
	var rules, matched, narrowed, ruledOut, clusterOnly int
	rapid.Check(t, func(t *rapid.T) {
		rule := gen{t}.boolean(rapid.IntRange(0, 4).Draw(t, "depth"), nil)
		p, err := compiler.Compile(rule)
		if err != nil {
			t.Skip(err) // a shadowed variable may cause a type error
		}
		rules++
		needs := p.Needs()
		if !needs.Anything {
			narrowed++
		}
		cluster := randomSet(t, "cluster")
		var first *bool
		for range 5 {
			s := randomSet(t, "bundle")
			match, _, err := p.Eval(t.Context(), s, cluster)
			if err != nil {
				match = false
			}
			if match {
				matched++
				require.True(t, needs.Maybe(s), "%s\nneeds %+v\nbut matches %v", rule, needs, s)
			} else if !needs.Maybe(s) {
				ruledOut++
			}
			if needs.ClusterOnly {
				clusterOnly++
				if first == nil {
					first = &match
				}
				require.Equal(t, *first, match, "%s is ClusterOnly but depends on the bundle", rule)
			}
		}
	})
	const enough = 80 // with fewer, one kind may be missing by chance
	if !t.Failed() && rules >= enough {
		t.Logf("matched %d, narrowed %d, ruled out %d, cluster only %d", matched, narrowed, ruledOut, clusterOnly)
		for _, n := range []int{matched, narrowed, ruledOut, clusterOnly} {
			require.Positive(t, n, "the generator must draw each kind of rule")
		}
	}
}
