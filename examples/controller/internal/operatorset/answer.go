package operatorset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// Limits of the time that one object may take. They guard against hostile
// catalogs; a resolution takes milliseconds.
const (
	resolveTimeout     = 30 * time.Second
	correctionsTimeout = 10 * time.Second
)

// answer is what there is to say about an object: everything of its status but
// the conditions' history.
type answer struct {
	status v1alpha1.OperatorSetStatus
	// resolved and catalogs are the conditions, but for their type.
	resolved, catalogs metav1.Condition
	// again says that the same question may have another answer later, though
	// neither the object nor the catalogs change.
	again bool
}

// answerer resolves objects.
type answerer struct {
	resolver *resolver.Resolver
}

// answer resolves an object over one view of the catalogs. The error is that of
// ctx, which then has ended; everything else that can go wrong is an answer.
func (a answerer) answer(ctx context.Context, set *v1alpha1.OperatorSet, snapshot *cache.Snapshot) (*answer, error) {
	out := new(answer)
	req, err := newRequest(ctx, set, snapshot)
	if stopped := ctx.Err(); stopped != nil {
		return nil, stopped
	}
	switch {
	case err != nil:
		out.catalogs = metav1.Condition{Status: metav1.ConditionUnknown,
			Reason: v1alpha1.ReasonInvalidRequest, Message: "no catalog was asked"}
		out.fail(metav1.ConditionFalse, v1alpha1.ReasonInvalidRequest, err.Error())
	case !out.useCatalogs(req, snapshot):
	default:
		if err := a.resolve(ctx, req, out); err != nil {
			return nil, err
		}
	}
	bound(out)
	return out, nil
}

// resolve fills in the plan or the conflict.
func (a answerer) resolve(ctx context.Context, req resolver.Request, out *answer) error {
	limited, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	solution, err := a.resolver.Resolve(limited, req)
	if stopped := ctx.Err(); stopped != nil {
		return stopped
	}
	var conflict *resolver.Conflict
	var incomplete *resolver.IncompleteError
	switch {
	case err == nil:
		out.plan(solution)
	case errors.As(err, &conflict):
		if err := a.correct(ctx, req, conflict, out); err != nil {
			return err
		}
		out.status.Conflict = newConflict(conflict)
		out.fail(metav1.ConditionFalse, v1alpha1.ReasonConflict, conflict.Headline())
	case errors.As(err, &incomplete):
		// How far it got differs from run to run, and is left out.
		out.fail(metav1.ConditionUnknown, v1alpha1.ReasonIncomplete,
			fmt.Sprintf("the resolution was stopped before it had an answer: its limit of %s was reached", incomplete.Limit))
		out.again = incomplete.Limit == resolver.LimitContext
	default:
		out.fail(metav1.ConditionFalse, v1alpha1.ReasonInvalidRequest, err.Error())
	}
	return nil
}

// correct looks for changes that help. Not to find out in time is no reason to
// withhold the conflict.
func (a answerer) correct(ctx context.Context, req resolver.Request, conflict *resolver.Conflict, out *answer) error {
	limited, cancel := context.WithTimeout(ctx, correctionsTimeout)
	defer cancel()
	err := whatif.FindCorrections(limited, a.resolver, req, conflict, whatif.FindOptions{})
	if stopped := ctx.Err(); stopped != nil {
		return stopped
	}
	if err != nil {
		out.status.Omitted = append(out.status.Omitted, "conflict.corrections: they could not be found in time")
		out.again = true
	}
	return nil
}

// useCatalogs records which content is used. It reports whether the resolution
// can go on; if not, that is the answer.
func (a *answer) useCatalogs(req resolver.Request, snapshot *cache.Snapshot) bool {
	digests := make(map[cache.Key]string)
	for _, c := range snapshot.Catalogs() {
		digests[c.Key] = c.Digest
	}
	var missing []string
	for _, c := range req.Catalogs {
		s := v1alpha1.CatalogStatus{Name: c.Key.String(), Priority: int32(c.Priority), Digest: digests[c.Key]}
		if c.Unavailable != nil {
			missing = append(missing, s.Name)
			s.Unavailable = c.Unavailable.Error()
		}
		a.status.Catalogs = append(a.status.Catalogs, s)
	}
	condition := func(status metav1.ConditionStatus, reason, message string) {
		a.catalogs = metav1.Condition{Status: status, Reason: reason, Message: message}
	}
	switch {
	case len(req.Catalogs) == 0:
		condition(metav1.ConditionFalse, v1alpha1.ReasonNoCatalogs, "the controller keeps no catalog")
	case len(missing) == 0:
		condition(metav1.ConditionTrue, v1alpha1.ReasonRead, "every catalog was read")
	default:
		condition(metav1.ConditionFalse, v1alpha1.ReasonUnavailable, "these cannot be read: "+strings.Join(missing, ", "))
		if !slices.Contains([]resolver.Unavailable{resolver.UnavailableIgnore, resolver.UnavailableLastGood}, req.Policy.Unavailable) {
			a.fail(metav1.ConditionUnknown, v1alpha1.ReasonCatalogUnavailable, "waiting for "+strings.Join(missing, ", ")+
				", which cannot be read; the policies Ignore and LastGood go on without")
			return false
		}
	}
	return true
}

// fail says that there is no plan.
func (a *answer) fail(status metav1.ConditionStatus, reason, message string) {
	a.resolved = metav1.Condition{Status: status, Reason: reason, Message: message}
}

// plan fills in a solution.
func (a *answer) plan(solution *resolver.Solution) {
	// What is bounded later is not the solution's.
	own := v1alpha1.OperatorSetStatus{Set: solution.Set(), Steps: solution.Steps, Warnings: solution.Warnings}.DeepCopy()
	a.status.Set, a.status.Steps, a.status.Warnings = own.Set, own.Steps, own.Warnings
	changes := 0
	for i := range own.Steps {
		if own.Steps[i].Action != resolver.Keep {
			changes++
		}
	}
	a.resolved = metav1.Condition{Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonResolved,
		Message: fmt.Sprintf("%d bundles, %d of them to install or upgrade", len(solution.Steps), changes)}
	var left []string
	for _, u := range solution.Unresolved {
		a.status.Unresolved = append(a.status.Unresolved,
			v1alpha1.Unresolved{Subscription: u.Subscription, Conflict: newConflict(u.Conflict)})
		left = append(left, u.Subscription)
	}
	if len(left) > 0 {
		a.resolved.Reason = v1alpha1.ReasonPartlyResolved
		a.resolved.Message += "; left out: " + strings.Join(left, ", ")
	}
}

func newConflict(c *resolver.Conflict) *v1alpha1.Conflict {
	if c == nil {
		return nil
	}
	out := &v1alpha1.Conflict{Text: c.Text(), NotMinimal: !c.Minimal}
	for _, f := range c.Facts {
		out.Facts = append(out.Facts, v1alpha1.Fact{Kind: string(f.Kind), Subject: f.Subject, Text: f.Text, Message: f.Message})
	}
	for _, correction := range c.Corrections {
		k := v1alpha1.Correction{Text: correction.Text, Result: correction.Result}
		for _, change := range correction.Changes {
			k.Changes = append(k.Changes, v1alpha1.Change{Kind: string(change.Kind), Subject: change.Subject, Value: cmp.Or(change.Channel, change.Subscription)})
		}
		out.Corrections = append(out.Corrections, k)
	}
	return out
}
