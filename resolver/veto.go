package resolver

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// VetoRule is a rule of a [Policy] in the Common Expression Language: a bundle of a catalog for
// which it is true cannot be selected, and neither can one on which it fails. An installed bundle
// may stay. Section 8 of the semantics describes its variables bundle, cluster and now.
//
// Rules need the compiler that importing constraints/cel registers. Annotations, labels and the
// time of creation need a catalog that was read with them: see Options.Metadata of package fbc.
type VetoRule struct {
	// Rule is the condition, such as bundle.version.contains("-").
	Rule string `json:"rule"`
	// Message is the reason, for people.
	Message string `json:"message,omitempty"`
}

// validateVeto lists the problems of the rules that need no compiler.
func (p *Policy) validateVeto() []RequestProblem {
	if n := len(p.Veto); n > constraints.MaxVetoRules {
		return []RequestProblem{{Field: "policy.veto", Message: fmt.Sprintf("%d rules exceed the limit of %d", n, constraints.MaxVetoRules)}}
	}
	var out []RequestProblem
	for i, v := range p.Veto {
		if v.Rule == "" {
			out = append(out, RequestProblem{Field: fmt.Sprintf("policy.veto[%d].rule", i), Message: "missing; set the rule that excludes bundles"})
		}
	}
	return out
}

// compileVeto compiles the rules of the policy; nil if there are none. The error is a
// *RequestError, or that of the context.
func compileVeto(ctx context.Context, req *Request, parser *constraints.Parser) (*constraints.Veto, error) {
	if len(req.Policy.Veto) == 0 {
		return nil, nil
	}
	rules := make([]string, len(req.Policy.Veto))
	for i, v := range req.Policy.Veto {
		rules[i] = v.Rule
	}
	v, err := parser.Veto(ctx, rules)
	if err != nil {
		if problems := ruleProblems(err, rules); len(problems) > 0 {
			return nil, &RequestError{Problems: problems}
		}
		return nil, &IncompleteError{Limit: LimitContext, Err: err}
	}
	if i := v.UsesNow(); i >= 0 && req.Now.IsZero() {
		return nil, &RequestError{Problems: []RequestProblem{{Field: fmt.Sprintf("policy.veto[%d].rule", i), Value: rules[i],
			Message: "the rule uses now, and the request gives no time; set now"}}}
	}
	return v, nil
}

// ruleProblems lists the rules that do not compile; none if the context ended.
func ruleProblems(err error, rules []string) []RequestProblem {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return nil
	}
	var out []RequestProblem
	for _, err := range joined.Unwrap() {
		var rule *constraints.RuleError
		if errors.As(err, &rule) {
			out = append(out, RequestProblem{Field: fmt.Sprintf("policy.veto[%d].rule", rule.Index), Value: rules[rule.Index],
				Message: rule.Error(), Err: rule.Err})
		}
	}
	return out
}

// Judge returns the rule of the policy that forbids a bundle of a catalog.
func (p *resolution) Judge(e *constraints.Evaluator, catalog cache.Key, pkg *graph.Package, b *graph.Bundle) (problem.Forbidden, error) {
	verdict, err := e.Judge(p.budget.Context(), p.veto, pkg.Candidate(b, catalog.String()), p.environment())
	if err != nil || verdict.Rule < 0 {
		return problem.Forbidden{}, err
	}
	rule := p.req.Policy.Veto[verdict.Rule]
	out := problem.Forbidden{Bundle: cache.BundleRef{Catalog: catalog, Name: b.Name}, Rule: rule.Rule, Message: rule.Message}
	if verdict.Failed != nil {
		out.Failed = verdict.Failed.Error()
	}
	return out, nil
}

// environment returns what rules of the policy see apart from the bundle.
func (p *resolution) environment() *constraints.Environment {
	if p.surroundings == nil {
		c := &p.req.Cluster
		p.surroundings = &constraints.Environment{KubernetesVersion: c.KubernetesVersion, OpenShiftVersion: c.OpenShiftVersion,
			Properties: c.visible(), Now: p.req.Now}
	}
	return p.surroundings
}
