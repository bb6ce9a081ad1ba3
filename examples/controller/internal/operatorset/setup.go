package operatorset

import (
	"context"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// The initial and maximum backoff of an object after an error.
const (
	backoffMin = 200 * time.Millisecond
	backoffMax = time.Minute
)

// Setup registers the Reconciler with a manager: it runs for each new object
// or changed spec, and for all objects after each change of the catalogs. Its
// own status updates do not trigger it.
func (r *Reconciler) Setup(mgr ctrl.Manager, workers int) error {
	changes := make(chan event.TypedGenericEvent[struct{}])
	err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		forward(ctx, r.Catalogs.Changes(ctx), changes)
		return nil
	}))
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("operatorset").
		For(&v1alpha1.OperatorSet{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(source.Channel(changes, handler.TypedEnqueueRequestsFromMapFunc(r.all))).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](backoffMin, backoffMax),
		}).
		Complete(r)
}

// forward emits an event for each change of the catalogs until ctx ends. The
// first event covers changes before the subscription.
func forward(ctx context.Context, changes <-chan struct{}, events chan<- event.TypedGenericEvent[struct{}]) {
	for open := true; open; _, open = <-changes {
		select {
		case events <- event.TypedGenericEvent[struct{}]{}:
		case <-ctx.Done():
		}
	}
}

// all returns a request for every object, from the manager's cache.
func (r *Reconciler) all(ctx context.Context, _ struct{}) []reconcile.Request {
	var sets v1alpha1.OperatorSetList
	if err := r.Client.List(ctx, &sets, client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "cannot list objects: they keep their previous answer")
		return nil
	}
	requests := make([]reconcile.Request, 0, len(sets.Items))
	for i := range sets.Items {
		requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{
			Namespace: sets.Items[i].Namespace, Name: sets.Items[i].Name,
		}})
	}
	return requests
}

// count counts a result by the reason of the condition.
func (r *Reconciler) count(ctx context.Context, name, reason string) {
	if r.Metrics != nil {
		r.Metrics.Count(ctx, name, 1, slog.String("reason", reason))
	}
}
