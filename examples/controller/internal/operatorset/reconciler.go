package operatorset

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// Times after which an object is looked at again although nothing changed.
const (
	// conflictRetry: somebody else wrote the object meanwhile, and the watch has
	// not told yet.
	conflictRetry = 200 * time.Millisecond
	// incompleteRetry: the time did not suffice, and perhaps the machine is less
	// busy then.
	incompleteRetry = 5 * time.Minute
	// snapshotTimeout bounds the wait for catalogs that were never read yet.
	snapshotTimeout = time.Minute
)

// What a Reconciler measures, by the reason of the condition Resolved.
const (
	metricAnswers = "resolute_controller_answers_total"
	metricWrites  = "resolute_controller_status_writes_total"
)

// Catalogs is where a Reconciler has its catalogs from: a [cache.Cache].
type Catalogs interface {
	Snapshot(ctx context.Context) (*cache.Snapshot, error)
	Changes(ctx context.Context) <-chan struct{}
}

// Reconciler writes the answer of an object into its status. It is safe for
// concurrent use.
type Reconciler struct {
	// Client reads objects and writes their status.
	Client client.Client
	// Catalogs has the catalogs.
	Catalogs Catalogs
	// Resolver resolves.
	Resolver *resolver.Resolver
	// Metrics counts answers and writes; nil: nothing does.
	Metrics cache.Metrics
}

// Reconcile answers one object. It writes nothing if the answer stands there
// already. An error is one of the API server, or of a context that ended: the
// object is tried again, less and less often.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var set v1alpha1.OperatorSet
	if err := r.Client.Get(ctx, req.NamespacedName, &set); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !set.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, nil
	}
	snapshot, err := r.snapshot(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	answer, err := answerer{r.Resolver}.answer(ctx, &set, snapshot)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("the resolution was stopped: %w", err)
	}
	status, err := newStatus(&set, answer, metav1.Now())
	if err != nil {
		return reconcile.Result{}, err
	}
	var result reconcile.Result
	if answer.again {
		result.RequeueAfter = incompleteRetry
	}
	r.count(ctx, metricAnswers, answer.resolved.Reason)
	if equality.Semantic.DeepEqual(set.Status, status) {
		return result, nil
	}
	// The object's resource version goes along: the write fails if it was not the
	// newest that was answered, and so no answer can undo a later one.
	set.Status = status
	if err := r.Client.Status().Update(ctx, &set); err != nil {
		if apierrors.IsConflict(err) {
			return reconcile.Result{RequeueAfter: conflictRetry}, nil
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	r.count(ctx, metricWrites, answer.resolved.Reason)
	log.FromContext(ctx).Info("wrote a new answer", "reason", answer.resolved.Reason,
		"bundles", len(status.Set), "resourceVersion", set.ResourceVersion)
	return result, nil
}

func (r *Reconciler) snapshot(ctx context.Context) (*cache.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, snapshotTimeout)
	defer cancel()
	snapshot, err := r.Catalogs.Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("the catalogs are not read yet: %w", err)
	}
	return snapshot, nil
}

// newStatus puts an answer into the form in which the API server returns it, so
// that comparing the two shows whether there is something new. A condition keeps
// the time since which it holds.
func newStatus(set *v1alpha1.OperatorSet, a *answer, now metav1.Time) (v1alpha1.OperatorSetStatus, error) {
	status := a.status
	status.ObservedGeneration = set.Generation
	old := set.Status.DeepCopy()
	for _, c := range []struct {
		kind      string
		condition metav1.Condition
	}{
		{v1alpha1.ConditionResolved, a.resolved},
		{v1alpha1.ConditionCatalogsAvailable, a.catalogs},
	} {
		c.condition.Type, c.condition.ObservedGeneration, c.condition.LastTransitionTime = c.kind, set.Generation, now
		meta.SetStatusCondition(&old.Conditions, c.condition)
		status.Conditions = append(status.Conditions, *meta.FindStatusCondition(old.Conditions, c.kind))
	}
	// Names may be anything, valid UTF-8 or not: JSON is what the server keeps.
	var out v1alpha1.OperatorSetStatus
	data, err := json.Marshal(status)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return out, fmt.Errorf("the status cannot be written: %w", err)
	}
	return out, nil
}
