package operatorset

import (
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

// Time limits of one object. They guard against hostile catalogs; a resolution
// takes milliseconds.
const (
	resolveTimeout     = 30 * time.Second
	correctionsTimeout = 10 * time.Second
)

// answer is the result for an object: its status without the history of the
// conditions.
type answer struct {
	status v1alpha1.OperatorSetStatus
	// resolved and catalogs are the conditions, without their types.
	resolved, catalogs metav1.Condition
	// retry means that the result may change later without a change of the
	// object or the catalogs.
	retry bool
}

// answerer resolves objects.
type answerer struct {
	resolver *resolver.Resolver
}

// answer resolves an object with a snapshot of the catalogs. The error is that
// of an ended ctx; all other failures are part of the answer.
func (a answerer) answer(ctx context.Context, set *v1alpha1.OperatorSet, snapshot *cache.Snapshot) (*answer, error) {
	out := new(answer)
	req, err := newRequest(ctx, set, snapshot)
	if stopped := ctx.Err(); stopped != nil {
		return nil, stopped
	}
	switch {
	case err != nil:
		out.catalogs = metav1.Condition{Status: metav1.ConditionUnknown,
			Reason: v1alpha1.ReasonInvalidRequest, Message: "no catalog was read"}
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
		// The progress differs between runs and is omitted.
		out.fail(metav1.ConditionUnknown, v1alpha1.ReasonIncomplete,
			fmt.Sprintf("the resolution exceeded its limit of %s", incomplete.Limit))
		out.retry = incomplete.Limit == resolver.LimitContext
	default:
		out.fail(metav1.ConditionFalse, v1alpha1.ReasonInvalidRequest, err.Error())
	}
	return nil
}

// correct searches for corrections. A timeout does not withhold the conflict.
func (a answerer) correct(ctx context.Context, req resolver.Request, conflict *resolver.Conflict, out *answer) error {
	limited, cancel := context.WithTimeout(ctx, correctionsTimeout)
	defer cancel()
	err := whatif.FindCorrections(limited, a.resolver, req, conflict, whatif.FindOptions{})
	if stopped := ctx.Err(); stopped != nil {
		return stopped
	}
	if err != nil {
		out.status.Omitted = append(out.status.Omitted, "conflict.corrections: the search timed out")
		out.retry = true
	}
	return nil
}

// useCatalogs records the used content. It reports whether the resolution can
// continue; if not, the answer is complete.
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
		condition(metav1.ConditionFalse, v1alpha1.ReasonNoCatalogs, "the controller has no catalogs")
	case len(missing) == 0:
		condition(metav1.ConditionTrue, v1alpha1.ReasonRead, "every catalog was read")
	default:
		condition(metav1.ConditionFalse, v1alpha1.ReasonUnavailable, "unavailable catalogs: "+strings.Join(missing, ", "))
		if !slices.Contains([]resolver.Unavailable{resolver.UnavailableIgnore, resolver.UnavailableLastGood}, req.Policy.Unavailable) {
			a.fail(metav1.ConditionUnknown, v1alpha1.ReasonCatalogUnavailable, "waiting for "+strings.Join(missing, ", ")+
				" to become available; the policies Ignore and LastGood continue without it")
			return false
		}
	}
	return true
}

// fail sets a result without a plan.
func (a *answer) fail(status metav1.ConditionStatus, reason, message string) {
	a.resolved = metav1.Condition{Status: status, Reason: reason, Message: message}
}

// plan fills in a solution.
func (a *answer) plan(solution *resolver.Solution) {
	// Later truncation must not change the solution.
	own := v1alpha1.OperatorSetStatus{Set: solution.Set(), Steps: solution.Steps, Warnings: solution.Warnings}.DeepCopy()
	a.status.Set, a.status.Steps, a.status.Warnings = own.Set, own.Steps, own.Warnings
	changes := 0
	for i := range own.Steps {
		if own.Steps[i].Action != resolver.Keep {
			changes++
		}
	}
	a.resolved = metav1.Condition{Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonResolved,
		Message: fmt.Sprintf("%d bundles, %d to install or upgrade", len(solution.Steps), changes)}
	var left []string
	for _, u := range solution.Unresolved {
		a.status.Unresolved = append(a.status.Unresolved,
			v1alpha1.Unresolved{Subscription: u.Subscription, Conflict: newConflict(u.Conflict)})
		left = append(left, u.Subscription)
	}
	if len(left) > 0 {
		a.resolved.Reason = v1alpha1.ReasonPartlyResolved
		a.resolved.Message += "; unresolved: " + strings.Join(left, ", ")
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
		for _, change := range correction.List() {
			k.Changes = append(k.Changes, v1alpha1.Change{Kind: string(change.Kind()), Subject: change.Subject(), Value: newValue(change)})
		}
		out.Corrections = append(out.Corrections, k)
	}
	return out
}

// newValue returns the new value that a change sets, if any.
func newValue(c resolver.Change) string {
	switch c := c.(type) {
	case resolver.FollowChannel:
		return c.Channel
	case resolver.AdoptInstalled:
		return c.Subscription
	default:
		return ""
	}
}
