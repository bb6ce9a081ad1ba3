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

// How long an object waits after an error: the first time, and at most.
const (
	backoffMin = 200 * time.Millisecond
	backoffMax = time.Minute
)

// Setup has a manager run the Reconciler: for each object that is new or whose
// spec changed, and for all of them after each change of the catalogs. Its own
// writes of the status do not call it again.
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

// forward makes an event of each change of the catalogs, until ctx ends. The
// first event stands for what changed before the changes were listened to.
func forward(ctx context.Context, changes <-chan struct{}, events chan<- event.TypedGenericEvent[struct{}]) {
	for open := true; open; _, open = <-changes {
		select {
		case events <- event.TypedGenericEvent[struct{}]{}:
		case <-ctx.Done():
		}
	}
}

// all names every object. The list is that of the manager's cache and asks
// nobody.
func (r *Reconciler) all(ctx context.Context, _ struct{}) []reconcile.Request {
	var sets v1alpha1.OperatorSetList
	if err := r.Client.List(ctx, &sets, client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "objects cannot be listed: they keep the answer of the catalogs before")
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

// count counts what became of an object, by the reason of its condition.
func (r *Reconciler) count(ctx context.Context, name, reason string) {
	if r.Metrics != nil {
		r.Metrics.Count(ctx, name, 1, slog.String("reason", reason))
	}
}
