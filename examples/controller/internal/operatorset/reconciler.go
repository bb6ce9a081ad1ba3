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

// Delays before an unchanged object is resolved again.
const (
	// conflictRetry: another client wrote the object, and the watch has not
	// delivered it yet.
	conflictRetry = 200 * time.Millisecond
	// incompleteRetry: the resolution timed out; the machine may be less busy
	// later.
	incompleteRetry = 5 * time.Minute
	// snapshotTimeout limits the wait for catalogs that were never read.
	snapshotTimeout = time.Minute
)

// Metrics of a Reconciler, by the reason of the condition Resolved.
const (
	metricAnswers = "resolute_controller_answers_total"
	metricWrites  = "resolute_controller_status_writes_total"
)

// Catalogs provides the catalogs of a Reconciler; a [cache.Cache] implements
// it.
type Catalogs interface {
	Snapshot(ctx context.Context) (*cache.Snapshot, error)
	Changes(ctx context.Context) <-chan struct{}
}

// Reconciler resolves objects and writes the answer into their status. It is
// safe for concurrent use.
type Reconciler struct {
	// Client reads objects and writes their status.
	Client client.Client
	// Catalogs provides the catalogs.
	Catalogs Catalogs
	// Resolver resolves.
	Resolver *resolver.Resolver
	// Metrics counts answers and writes; nil disables it.
	Metrics cache.Metrics
}

// Reconcile resolves one object. It writes nothing if the answer is unchanged.
// An error is from the API server or the context; the object is then retried
// with exponential backoff.
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
	if answer.retry {
		result.RequeueAfter = incompleteRetry
	}
	r.count(ctx, metricAnswers, answer.resolved.Reason)
	if equality.Semantic.DeepEqual(set.Status, status) {
		return result, nil
	}
	// The write includes the resource version: it fails if the object has
	// changed since it was read, so that an answer cannot overwrite a later
	// one.
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
		return nil, fmt.Errorf("the catalogs are still loading: %w", err)
	}
	return snapshot, nil
}

// newStatus normalizes an answer to the form in which the API server returns
// it, so that a comparison detects changes. A condition keeps its transition
// time.
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
	// Names may be invalid UTF-8; the server stores JSON.
	var out v1alpha1.OperatorSetStatus
	data, err := json.Marshal(status)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return out, fmt.Errorf("cannot encode the status: %w", err)
	}
	return out, nil
}
