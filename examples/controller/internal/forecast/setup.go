package forecast

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// object is an empty object of a kind.
func object(i int) *unstructured.Unstructured {
	o := new(unstructured.Unstructured)
	o.SetGroupVersionKind(Kinds()[i])
	return o
}

// Watched restricts the manager's cache of OLM's objects: it excludes copied
// operators, of which a global one has one per namespace, and ConfigMaps
// without forecasts.
func Watched() map[client.Object]ctrlcache.ByObject {
	own, err := labels.NewRequirement("olm.copiedFrom", selection.DoesNotExist, nil)
	if err != nil {
		panic(err) // the label is a constant
	}
	out := map[client.Object]ctrlcache.ByObject{
		new(corev1.ConfigMap): {Field: fields.OneTermEqualSelector("metadata.name", ConfigMap)},
	}
	for i, kind := range Kinds() {
		by := ctrlcache.ByObject{Transform: trim}
		if kind.Kind == "ClusterServiceVersion" {
			by.Label = labels.NewSelector().Add(*own)
		}
		out[object(i)] = by
	}
	return out
}

// trim drops large unused parts of an object.
func trim(o any) (any, error) {
	if u, is := o.(*unstructured.Unstructured); is {
		unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
		for _, field := range []string{"install", "description", "icon", "relatedImages"} {
			unstructured.RemoveNestedField(u.Object, "spec", field)
		}
	}
	return o, nil
}

// Setup registers the Reconciler with a manager: it runs for a namespace when
// one of its OLM objects changes, and for all namespaces when a CatalogSource
// or the content of a catalog changes.
func (r *Reconciler) Setup(mgr ctrl.Manager) error {
	changes := make(chan event.TypedGenericEvent[struct{}])
	err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		watch := r.Catalogs.Changes(ctx)
		for open := true; open; _, open = <-watch {
			select {
			case changes <- event.TypedGenericEvent[struct{}]{}:
			case <-ctx.Done():
			}
		}
		return nil
	}))
	if err != nil {
		return err
	}
	b := ctrl.NewControllerManagedBy(mgr).Named("forecast").
		WatchesRawSource(source.Channel(changes, handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, _ struct{}) []reconcile.Request { return r.all(ctx) }))).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(namespaceOf))
	for i, kind := range Kinds() {
		if kind.Kind == "CatalogSource" || kind.Kind == "OperatorGroup" {
			b = b.Watches(object(i), handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request { return r.all(ctx) }))
		} else {
			b = b.Watches(object(i), handler.EnqueueRequestsFromMapFunc(namespaceOf))
		}
	}
	return b.Complete(r)
}

// namespaceOf returns the request for the namespace of an object.
func namespaceOf(_ context.Context, o client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: ConfigMap}}}
}

// all returns the requests for all namespaces with subscriptions or operators.
func (r *Reconciler) all(ctx context.Context) []reconcile.Request {
	seen := make(map[string]bool)
	var out []reconcile.Request
	for _, kind := range Kinds()[:2] {
		objects := new(unstructured.UnstructuredList)
		objects.SetGroupVersionKind(kind)
		if err := r.Client.List(ctx, objects, client.UnsafeDisableDeepCopy); err != nil {
			log.FromContext(ctx).Error(err, "cannot list objects: namespaces keep their previous forecast")
			return nil
		}
		for i := range objects.Items {
			if n := objects.Items[i].GetNamespace(); !seen[n] {
				seen[n] = true
				out = append(out, namespaceOf(ctx, &objects.Items[i])...)
			}
		}
	}
	return out
}
