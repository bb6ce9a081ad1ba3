package operatorset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

func ask(t *testing.T, set *v1alpha1.OperatorSet, snapshot *cache.Snapshot, opts ...resolver.Option) *answer {
	t.Helper()
	a, err := answerer{resolver.New(opts...)}.answer(t.Context(), set, snapshot)
	require.NoError(t, err)
	return a
}

func TestAnswerIsAPlan(t *testing.T) {
	a := ask(t, object("app"), view(t, map[string]cache.Source{"olm/shop": cache.NewMemory(shop(t))}))
	require.Equal(t, []string{"app.v1.0.0", "db.v1.1.0"}, a.status.Set)
	require.Equal(t, metav1.ConditionTrue, a.resolved.Status)
	require.Equal(t, v1alpha1.ReasonResolved, a.resolved.Reason)
	require.Equal(t, v1alpha1.ReasonRead, a.catalogs.Reason)
	require.Equal(t, "db.v1.1.0", a.status.Steps[0].Bundle)
	require.Equal(t, "app.v1.0.0", a.status.Steps[0].Because[0].Bundle)
	require.Contains(t, a.status.Steps[0].Because[0].Constraint, "db")
	require.Equal(t, shop(t).Digest(), a.status.Catalogs[0].Digest)
	require.False(t, a.retry)
}

func TestAnswerIsAConflict(t *testing.T) {
	set := object("app")
	set.Spec.Forbid = []v1alpha1.Forbid{{Bundle: "db.v1.0.0"}, {Bundle: "db.v1.1.0", Message: "known data loss"}}
	a := ask(t, set, view(t, map[string]cache.Source{"olm/shop": cache.NewMemory(shop(t))}))
	require.Equal(t, metav1.ConditionFalse, a.resolved.Status)
	require.Equal(t, v1alpha1.ReasonConflict, a.resolved.Reason)
	require.Empty(t, a.status.Set)
	require.Contains(t, a.status.Conflict.Text, "app needs a database")
	require.Contains(t, a.status.Conflict.Text, "known data loss")
	kinds := make(map[string]int)
	for _, f := range a.status.Conflict.Facts {
		kinds[f.Kind]++
	}
	require.Equal(t, map[string]int{"subscription": 1, "constraint": 1, "forbidden": 2}, kinds)
	require.Equal(t, "allowForbidden", a.status.Conflict.Corrections[0].Changes[0].Kind)
	require.NotEmpty(t, a.status.Conflict.Corrections[0].Result)
}

// A conflict that was not minimized in time is marked as such in the data and
// in the text.
func TestAnswerIsAConflictThatIsNotMinimal(t *testing.T) {
	crowd := ""
	for _, p := range []string{"a", "b", "c"} {
		crowd += fmt.Sprintf("%[1]s/x %[1]s.v1 provides=K1\n%[1]s/x %[1]s.v2 replaces=%[1]s.v1 provides=K2\n", p)
	}
	snapshot := view(t, map[string]cache.Source{"olm/crowd": cache.NewMemory(universe.Content(t, crowd))})
	for _, solves := range []int{0, 1} {
		a := ask(t, object("a", "b", "c"), snapshot, resolver.WithLimits(resolver.Limits{Solves: solves}))
		require.Equal(t, v1alpha1.ReasonConflict, a.resolved.Reason)
		require.Equal(t, solves > 0, a.status.Conflict.NotMinimal)
		require.Equal(t, solves > 0, strings.Contains(a.status.Conflict.Text, "stopped early"))
		require.NotEmpty(t, a.status.Conflict.Corrections)
		require.Empty(t, a.status.Omitted)
	}
}

func TestAnswerUnderEachPolicyWithoutACatalog(t *testing.T) {
	gone := view(t, map[string]cache.Source{"olm/shop": cache.NewMemory(shop(t)), "olm/gone": failing{errors.New("no route")}})
	for policy, reason := range map[string]string{
		"": v1alpha1.ReasonCatalogUnavailable, "Fail": v1alpha1.ReasonCatalogUnavailable,
		"Ignore": v1alpha1.ReasonResolved, "LastGood": v1alpha1.ReasonResolved,
	} {
		set := object("app")
		set.Spec.Policy.Unavailable = policy
		a := ask(t, set, gone)
		require.Equal(t, reason, a.resolved.Reason, policy)
		require.Equal(t, v1alpha1.ReasonUnavailable, a.catalogs.Reason)
		require.Contains(t, a.catalogs.Message, "olm/gone")
		require.Equal(t, "no route", a.status.Catalogs[0].Unavailable)
		require.Equal(t, reason == v1alpha1.ReasonResolved, len(a.status.Steps) > 0)
		if reason == v1alpha1.ReasonResolved {
			require.Equal(t, resolver.WarningUnavailable, a.status.Warnings[0].Kind)
		} else {
			require.Equal(t, metav1.ConditionUnknown, a.resolved.Status)
		}
		// Unused catalogs do not matter.
		set.Spec.Catalogs = []v1alpha1.CatalogRef{{Name: "olm/shop"}}
		a = ask(t, set, gone)
		require.Equal(t, v1alpha1.ReasonResolved, a.resolved.Reason, policy)
		require.Equal(t, v1alpha1.ReasonRead, a.catalogs.Reason)
	}
}

func TestAnswerOfNoCatalogs(t *testing.T) {
	a := ask(t, object(), view(t, nil))
	require.Equal(t, v1alpha1.ReasonNoCatalogs, a.catalogs.Reason)
	require.Equal(t, v1alpha1.ReasonResolved, a.resolved.Reason, "the request is empty")
	a = ask(t, object("app"), view(t, nil))
	require.Equal(t, v1alpha1.ReasonConflict, a.resolved.Reason)
}

func TestAnswerOfALimit(t *testing.T) {
	snapshot := view(t, map[string]cache.Source{"olm/shop": cache.NewMemory(shop(t))})
	a := ask(t, object("app"), snapshot, resolver.WithLimits(resolver.Limits{Bundles: 1}))
	require.Equal(t, metav1.ConditionUnknown, a.resolved.Status)
	require.Equal(t, v1alpha1.ReasonIncomplete, a.resolved.Reason)
	require.False(t, a.retry, "a retry would give the same result")
	// Two subscriptions of one name: only the resolver detects them if the
	// server did not validate the object.
	set := object("app")
	set.Spec.Subscriptions = append(set.Spec.Subscriptions, set.Spec.Subscriptions[0])
	a = ask(t, set, snapshot)
	require.Equal(t, v1alpha1.ReasonInvalidRequest, a.resolved.Reason)
}

// A stopping controller reports nothing, rather than a timeout.
func TestNoAnswerWhenStopped(t *testing.T) {
	snapshot := view(t, map[string]cache.Source{"olm/shop": cache.NewMemory(shop(t))})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := answerer{resolver.New()}.answer(ctx, object("app"), snapshot)
	require.ErrorIs(t, err, context.Canceled)
}

// TestStatusIsStable: the same answer gives the same status, for any names,
// and after a round trip through the server.
func TestStatusIsStable(t *testing.T) {
	odd := universe.Content(t, "odd/x odd.v1\nproperty odd.v1 olm.constraint "+`{"failureMessage":"<&>\u2028","package":{"packageName":"x\\ufffd\\u0000","versionRange":">=1.0.0"}}`)
	snapshot := view(t, map[string]cache.Source{"olm/odd": cache.NewMemory(odd), "olm/shop": cache.NewMemory(shop(t))})
	for _, packages := range [][]string{{"app"}, {"odd"}, {"a\xffb"}, {"app", "odd"}} {
		set := object(packages...)
		first, err := newStatus(set, ask(t, set, snapshot), metav1.NewTime(time.Unix(1000, 5)))
		require.NoError(t, err)
		data, err := json.Marshal(first)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &set.Status))
		second, err := newStatus(set, ask(t, set, snapshot), metav1.NewTime(time.Unix(2000, 0)))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(set.Status, second), "%q", packages)
		require.Equal(t, int64(4), second.ObservedGeneration)
	}
}

func TestConditionsKeepTheirTime(t *testing.T) {
	set := object("app")
	at := func(second int64, a *answer) (resolved, catalogs metav1.Condition) {
		status, err := newStatus(set, a, metav1.NewTime(time.Unix(second, 0)))
		require.NoError(t, err)
		require.Len(t, status.Conditions, 2)
		set.Status = status
		return *meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionResolved),
			*meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionCatalogsAvailable)
	}
	good := view(t, map[string]cache.Source{"olm/shop": cache.NewMemory(shop(t))})
	plan := ask(t, set, good)
	resolved, _ := at(100, plan)
	require.Equal(t, int64(100), resolved.LastTransitionTime.Unix())

	// Another message or generation is not a transition.
	set.Generation++
	plan.resolved.Message = "other words"
	resolved, _ = at(200, plan)
	require.Equal(t, int64(100), resolved.LastTransitionTime.Unix())
	require.Equal(t, "other words", resolved.Message)
	require.Equal(t, int64(5), resolved.ObservedGeneration)

	gone := ask(t, object("nobody-has-it"), good)
	resolved, catalogs := at(300, gone)
	require.Equal(t, int64(300), resolved.LastTransitionTime.Unix())
	require.Equal(t, int64(100), catalogs.LastTransitionTime.Unix())
	require.Empty(t, set.Status.Steps, "the previous plan is gone")

	// Conditions of other writers are not kept: the controller owns the
	// status.
	set.Status.Conditions = append(set.Status.Conditions, metav1.Condition{Type: "Other"})
	at(400, gone)
}

func TestPartialAnswer(t *testing.T) {
	set := object("app", "nobody-has-it")
	set.Spec.Policy.Failures = "Partial"
	a := ask(t, set, view(t, map[string]cache.Source{"olm/shop": cache.NewMemory(shop(t))}))
	require.Equal(t, metav1.ConditionTrue, a.resolved.Status)
	require.Equal(t, v1alpha1.ReasonPartlyResolved, a.resolved.Reason)
	require.Contains(t, a.resolved.Message, "my-nobody-has-it")
	require.Equal(t, "my-nobody-has-it", a.status.Unresolved[0].Subscription)
	facts := a.status.Unresolved[0].Conflict.Facts
	require.Equal(t, "noCandidate", facts[len(facts)-1].Kind)
}

// Many subscriptions make a large plan; too many make none.
func TestLargePlans(t *testing.T) {
	for _, c := range []struct {
		packages, name int
		reason         string
		omits          string
	}{
		{10, 10, v1alpha1.ReasonResolved, ""},
		{1000, 100, v1alpha1.ReasonResolved, "steps[*].because"},
		{1000, 250, v1alpha1.ReasonTooLarge, "everything"},
	} {
		var lines strings.Builder
		var packages []string
		for i := range c.packages {
			name := fmt.Sprintf("p%0*d", c.name, i)
			fmt.Fprintf(&lines, "%[1]s/stable %[1]s.v1\n", name)
			packages = append(packages, name)
		}
		set := object(packages...)
		a := ask(t, set, view(t, map[string]cache.Source{"olm/large": cache.NewMemory(universe.Content(t, lines.String()))}))
		require.Equal(t, c.reason, a.resolved.Reason)
		require.Contains(t, strings.Join(a.status.Omitted, "\n"), c.omits)
		if c.reason == v1alpha1.ReasonResolved {
			require.Len(t, a.status.Steps, c.packages)
		} else {
			require.Empty(t, a.status.Steps)
			require.Equal(t, metav1.ConditionFalse, a.resolved.Status)
		}
		requireFits(t, set, a)
	}
}

func requireFits(t require.TestingT, set *v1alpha1.OperatorSet, a *answer) {
	status, err := newStatus(set, a, metav1.Now())
	require.NoError(t, err)
	data, err := json.Marshal(status)
	require.NoError(t, err)
	require.LessOrEqual(t, len(data), maxStatusBytes+2*maxText+1<<10)
	for _, c := range status.Conditions {
		require.LessOrEqual(t, len(c.Message), 32768)
	}
}
