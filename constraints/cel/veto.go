package cel

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
)

// Names of the variables of a rule of a policy, beside cluster.
const (
	varBundle = "bundle"
	varNow    = "now"
)

// Types of the variables of a rule of a policy.
const (
	typeBundle  = "resolute.Bundle"
	typeCluster = "resolute.Cluster"
)

var (
	textType     = types.StringType
	textMapType  = types.NewMapType(types.StringType, types.StringType)
	propertyType = types.NewListType(types.NewMapType(types.StringType, types.DynType))

	// fields are the fields of the variables, so that a misspelt one does not compile.
	fields = map[string]map[string]*types.Type{
		typeBundle: {"package": textType, "name": textType, "version": textType, "release": textType, "catalog": textType,
			"channels": types.NewListType(types.StringType), "image": textType, "createdAt": types.TimestampType, "deprecated": types.BoolType,
			"properties": propertyType, "annotations": textMapType, "labels": textMapType},
		typeCluster: {"kubernetesVersion": textType, "openshiftVersion": textType, "properties": propertyType},
	}
)

// records provides the types of the variables to the type checker. At run time they are maps.
type records struct{ *types.Registry }

func (r records) FindStructType(name string) (*types.Type, bool) {
	if fields[name] == nil {
		return r.Registry.FindStructType(name)
	}
	return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
}

func (r records) FindStructFieldNames(name string) ([]string, bool) {
	if fields[name] == nil {
		return r.Registry.FindStructFieldNames(name)
	}
	var names []string
	for field := range fields[name] {
		names = append(names, field)
	}
	slices.Sort(names)
	return names, true
}

func (r records) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if fields[name] == nil {
		return r.Registry.FindStructFieldType(name, field)
	}
	t, ok := fields[name][field]
	return &types.FieldType{Type: t}, ok
}

// VetoCompiler compiles and evaluates the rules of policies. It is safe for concurrent use.
type VetoCompiler struct {
	options  Options
	language func() (*language, error)
}

// NewVetoCompiler returns a VetoCompiler.
func NewVetoCompiler(o Options) *VetoCompiler {
	if o.CostLimit == 0 {
		o.CostLimit = DefaultCostLimit
	}
	return &VetoCompiler{options: o, language: sync.OnceValues(declareVeto)}
}

// vetoRule is a compiled rule of a policy.
type vetoRule struct {
	Program
	now, metadata bool
	scope         constraints.VetoScope
	filter        filter
}

func (r *vetoRule) UsesNow() bool      { return r.now }
func (r *vetoRule) UsesMetadata() bool { return r.metadata }

func (r *vetoRule) Scope() constraints.VetoScope { return r.scope }

// Compile parses and checks a rule. Its result must be of type bool. The error is a
// [*CompileError].
func (c *VetoCompiler) Compile(rule string) (constraints.VetoRule, error) {
	program, checked, err := compileRule(rule, c.language, c.options.CostLimit)
	if err != nil {
		return nil, err
	}
	r := &vetoRule{Program: *program, scope: scopeOf(checked.Expr()), filter: filterOf(checked.Expr(), true)}
	r.mention(checked.Expr())
	return r, nil
}

// described are the fields that come from the metadata of a bundle.
var described = []string{"annotations", "labels", "createdAt"}

// mention notes the variables and fields that a rule refers to. A rule that uses bundle other than
// to select a field may reach every field.
func (r *vetoRule) mention(e ast.Expr) {
	selected := make(map[int64]bool) // operands of selections
	var bundles []int64
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch {
		case e.Kind() == ast.SelectKind:
			selected[e.AsSelect().Operand().ID()] = true
			r.metadata = r.metadata || slices.Contains(described, e.AsSelect().FieldName())
		case isIdent(e, varBundle):
			bundles = append(bundles, e.ID())
		case isIdent(e, varNow):
			r.now = true
		}
	}))
	r.metadata = r.metadata || slices.ContainsFunc(bundles, func(id int64) bool { return !selected[id] })
}

// scopeOf returns the scope of a rule: the rule is false, without an error, for every other bundle.
// It recognizes operands of && that compare bundle.name or bundle.package with literals; &&
// ignores an error of the other operand.
func scopeOf(e ast.Expr) constraints.VetoScope {
	if args, ok := call(e, operators.LogicalAnd, 2); ok {
		left, right := scopeOf(args[0]), scopeOf(args[1])
		if left.Names != nil || right.Names == nil && left.Packages != nil {
			return left
		}
		return right
	}
	if args, ok := call(e, operators.Equals, 2); ok {
		x, y := args[0], args[1]
		if x.Kind() == ast.LiteralKind {
			x, y = y, x
		}
		if text, ok := literal[types.String](y); ok {
			return scopeOfField(x, []string{string(text)})
		}
	}
	if args, ok := call(e, operators.In, 2); ok {
		if texts, ok := stringLiterals(args[1]); ok {
			slices.Sort(texts)
			return scopeOfField(args[0], slices.Compact(texts))
		}
	}
	return constraints.VetoScope{}
}

// scopeOfField returns the scope of a rule that compares e with texts.
func scopeOfField(e ast.Expr, texts []string) constraints.VetoScope {
	if of, ok := member(e, "package"); ok && isIdent(of, varBundle) {
		return constraints.VetoScope{Packages: texts}
	}
	if of, ok := member(e, "name"); ok && isIdent(of, varBundle) {
		return constraints.VetoScope{Names: texts}
	}
	return constraints.VetoScope{}
}

// vetoSubject is a bundle that rules are evaluated on, and the activation of each evaluation.
type vetoSubject struct {
	meter                meter
	candidate            *constraints.Candidate
	environment          *constraints.Environment
	bundle, cluster, now ref.Val // converted on first use

	semver  semver.Version // of the bundle, for filters
	invalid error
	parsed  bool
}

var _ interpreter.Activation = (*vetoSubject)(nil)

// Bind prepares a bundle for its rules.
func (c *VetoCompiler) Bind(candidate *constraints.Candidate, e *constraints.Environment) constraints.VetoSubject {
	return &vetoSubject{candidate: candidate, environment: e}
}

// Eval evaluates a rule that a [VetoCompiler] compiled. Errors are those of [Program.Eval].
func (s *vetoSubject) Eval(ctx context.Context, rule constraints.VetoRule) (forbids bool, cost uint64, err error) {
	r, ok := rule.(*vetoRule)
	if !ok {
		return false, 0, fmt.Errorf("the rule %T is not of this compiler", rule)
	}
	if r.filter != nil && !r.filter(s) {
		return false, 1, nil
	}
	s.meter = meter{ctx: ctx, limit: r.limit, spent: 1, nextCheck: checkInterval}
	return r.eval(ctx, s, &s.meter)
}

func (s *vetoSubject) Parent() interpreter.Activation { return nil }

func (s *vetoSubject) ResolveName(name string) (any, bool) {
	switch name {
	case meterName:
		return &s.meter, true
	case varBundle:
		if s.bundle == nil {
			s.bundle = s.newBundle()
		}
		return s.bundle, true
	case varCluster:
		if s.cluster == nil {
			s.cluster = s.newCluster()
		}
		return s.cluster, true
	case varNow:
		if s.now == nil {
			s.now = moment(s.environment.Now)
		}
		return s.now, true
	}
	return nil, false
}

// moment is a time of a request.
func moment(t time.Time) ref.Val {
	if t.IsZero() {
		return types.NewErr("the request does not give now")
	}
	return types.Timestamp{Time: t.UTC()}
}

func (s *vetoSubject) newBundle() ref.Val {
	c := s.candidate
	channels := make([]ref.Val, len(c.Channels))
	for i, channel := range c.Channels {
		channels[i] = types.String(channel)
	}
	values := map[ref.Val]ref.Val{}
	for name, text := range map[types.String]string{"package": c.Package, "name": c.Name, "version": c.Version, "release": c.Release,
		"catalog": c.Catalog, "image": c.Image} {
		values[name] = types.String(text)
	}
	values[types.String("channels")] = types.NewRefValList(types.DefaultTypeAdapter, channels)
	values[types.String("deprecated")] = types.Bool(c.Deprecated)
	values[types.String("properties")] = listOf(constraints.Visible(c.Properties), &s.meter)
	s.describe(values, c.Metadata)
	return newOrdered(&s.meter, types.NewRefValMap(types.DefaultTypeAdapter, values))
}

// describe adds the fields that come from the metadata of the bundle. If the metadata is unknown,
// each is an error, because an empty map would be a wrong answer.
func (s *vetoSubject) describe(values map[ref.Val]ref.Val, m *properties.Metadata) {
	if m == nil {
		for _, name := range described {
			values[types.String(name)] = types.NewErr("the annotations and labels of the bundle are not known")
		}
		return
	}
	values[types.String("annotations")] = s.texts(m.Annotations)
	values[types.String("labels")] = s.texts(m.Labels)
	switch created, err := m.CreatedAt(); err {
	case nil:
		values[types.String("createdAt")] = types.Timestamp{Time: created}
	case properties.ErrNoTime: // has(bundle.createdAt) is false
	default:
		values[types.String("createdAt")] = types.WrapErr(err)
	}
}

func (s *vetoSubject) texts(m map[string]string) ref.Val {
	values := make(map[ref.Val]ref.Val, len(m))
	for name, text := range m {
		values[types.String(name)] = types.String(text)
	}
	return newOrdered(&s.meter, types.NewRefValMap(types.DefaultTypeAdapter, values))
}

func (s *vetoSubject) newCluster() ref.Val {
	e := s.environment
	kubernetes := e.KubernetesVersion
	if v, err := properties.ParseKubernetesVersion(kubernetes); err == nil {
		kubernetes = v.String() // v1.33 is 1.33.0
	}
	return newOrdered(&s.meter, types.NewRefValMap(types.DefaultTypeAdapter, map[ref.Val]ref.Val{
		types.String("kubernetesVersion"): types.String(kubernetes),
		types.String("openshiftVersion"):  types.String(e.OpenShiftVersion),
		types.String("properties"):        listOf(e.Properties, &s.meter),
	}))
}
