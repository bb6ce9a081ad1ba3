// Package forecast predicts OLM's next actions in each namespace that it
// manages, and explains what blocks them. It watches OLM's objects and writes
// the forecast into a ConfigMap beside them. It never writes an object of OLM.
package forecast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// ConfigMap is the name of the ConfigMap with the forecast, Key the entry with
// its JSON.
const (
	ConfigMap = "resolute-forecast"
	Key       = "forecast.json"
)

// maxBytes limits a forecast: a ConfigMap holds 1 MiB.
const maxBytes = 900 << 10

// Kinds are the objects that determine OLM's actions. Copied
// ClusterServiceVersions of other namespaces are not read.
func Kinds() []schema.GroupVersionKind {
	const group = "operators.coreos.com"
	return []schema.GroupVersionKind{
		{Group: group, Version: "v1alpha1", Kind: "Subscription"},
		{Group: group, Version: "v1alpha1", Kind: "ClusterServiceVersion"},
		{Group: group, Version: "v1alpha1", Kind: "CatalogSource"},
		{Group: group, Version: "v1alpha1", Kind: "InstallPlan"},
		{Group: group, Version: "v1", Kind: "OperatorGroup"},
	}
}

// Catalogs provides the catalogs of a Reconciler; a [cache.Cache] implements
// it.
type Catalogs interface {
	Snapshot(ctx context.Context) (*cache.Snapshot, error)
	Changes(ctx context.Context) <-chan struct{}
}

// Forecast is the forecast for a namespace.
type Forecast struct {
	*scenario.Answer
	// Observed is the state reported by OLM.
	Observed olm.Observed `json:"observed"`
	// Findings are the findings in the namespace.
	Findings []olm.Finding `json:"findings"`
	// Plan is OLM's execution of the solution.
	Plan *olm.Plan `json:"plan,omitempty"`
}

// Reconciler writes the forecast of a namespace. It is safe for concurrent use.
type Reconciler struct {
	// Client reads OLM's objects, and writes ConfigMaps.
	Client client.Client
	// Catalogs has the content of catalogs, by the keys of their CatalogSources.
	Catalogs Catalogs
	Resolver *resolver.Resolver
}

// Reconcile forecasts one namespace. It writes nothing if the forecast is
// unchanged. An error is from the API server or the context.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	forecast, err := r.forecast(ctx, req.Namespace)
	if err != nil {
		return reconcile.Result{}, err
	}
	key := client.ObjectKey{Namespace: req.Namespace, Name: ConfigMap}
	var there corev1.ConfigMap
	err = r.Client.Get(ctx, key, &there)
	switch {
	case err != nil && !apierrors.IsNotFound(err):
		return reconcile.Result{}, err
	case forecast == nil && err == nil:
		return reconcile.Result{}, client.IgnoreNotFound(r.Client.Delete(ctx, &there))
	case forecast == nil:
		return reconcile.Result{}, nil
	}
	text, marshalErr := forecast.text()
	if marshalErr != nil {
		return reconcile.Result{}, marshalErr
	}
	if err != nil {
		return reconcile.Result{}, r.Client.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}, Data: map[string]string{Key: text}})
	}
	if there.Data[Key] == text {
		return reconcile.Result{}, nil
	}
	there.Data = map[string]string{Key: text}
	return reconcile.Result{}, r.Client.Update(ctx, &there)
}

// forecast resolves a namespace; it returns nil if OLM manages nothing there.
func (r *Reconciler) forecast(ctx context.Context, namespace string) (*Forecast, error) {
	cluster := new(olm.Cluster)
	for _, kind := range Kinds() {
		list := new(unstructured.UnstructuredList)
		list.SetGroupVersionKind(kind)
		// Catalogs and operator groups of other namespaces matter too.
		where := []client.ListOption{client.InNamespace(namespace)}
		if kind.Kind == "CatalogSource" || kind.Kind == "OperatorGroup" {
			where = nil
		}
		if err := r.Client.List(ctx, list, where...); err != nil {
			return nil, err
		}
		for i := range list.Items {
			content, err := list.Items[i].MarshalJSON()
			if err != nil {
				return nil, err
			}
			if err := cluster.Add(content); err != nil {
				return nil, err
			}
		}
	}
	captured, err := cluster.Capture(ctx, olm.Options{})
	if err != nil {
		return nil, err
	}
	for i := range captured.Namespaces {
		if n := &captured.Namespaces[i]; n.Namespace == namespace {
			return r.answer(ctx, n)
		}
	}
	return nil, nil
}

// answer resolves a captured namespace.
func (r *Reconciler) answer(ctx context.Context, n *olm.Namespace) (*Forecast, error) {
	out := &Forecast{Observed: n.Observed, Findings: n.Findings}
	req, err := n.Scenario.Request()
	if err != nil {
		out.Answer = scenario.NewAnswer(nil, err)
		return out, nil
	}
	snapshot, err := r.Catalogs.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	for i := range req.Catalogs {
		c := &req.Catalogs[i]
		k, configured := snapshot.Catalog(c.Key)
		if c.Content, c.Unavailable = k.Content, k.Unavailable; !configured {
			c.Unavailable = fmt.Errorf("the catalog is not configured in the controller: add %s to its configuration", c.Key)
		}
	}
	sol, err := r.Resolver.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		if stopped := whatif.FindCorrections(ctx, r.Resolver, req, conflict, whatif.FindOptions{}); stopped != nil && ctx.Err() != nil {
			return nil, stopped
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if out.Answer = scenario.NewAnswer(sol, err); sol != nil {
		out.Plan = olm.InstallPlan(req, sol)
	}
	return out, nil
}

// text returns the JSON of the forecast, which is deterministic. If it is too
// long, parts are dropped, the plan first.
func (f *Forecast) text() (string, error) {
	f.Stats = scenario.Stats{}
	for {
		text, err := json.MarshalIndent(f, "", "  ")
		switch {
		case err != nil:
			return "", err
		case len(text) <= maxBytes:
			return string(text), nil
		case f.Plan != nil:
			f.Plan = nil
		case f.Conflict != nil && len(f.Conflict.Facts) > 0:
			f.Conflict.Facts, f.Conflict.Further = nil, nil
		default:
			slog.Warn("a forecast is too long and was truncated", "bytes", len(text))
			f.Answer = &scenario.Answer{Status: f.Status, Error: "the answer is too long for a ConfigMap; run resolute capture --live"}
			f.Findings = nil
			return f.text()
		}
	}
}
