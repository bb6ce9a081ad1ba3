// Package e2e tests the real controller as a child process, against a real API
// server. It exports nothing.
package e2e

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// TestController is a sequence: each part continues from the end of the
// previous one.
func TestController(t *testing.T) {
	w := newWorld(t)
	writeOperator(t, w.path("shop"), app())
	writeOperator(t, w.path("shop"), db("1.0.0"))
	writeOperator(t, w.path("shop"), rival())
	writeOperator(t, w.path("shop"), verbose())
	writeOperator(t, w.path("tools"), tool("1.0.0"))
	w.far = newFarServer(t, newOperator("far", "", "1.0.0"))
	config := "keep: kept\ncatalogs:\n" +
		"- {name: olm/shop, directory: shop, priority: 10, refresh: 200ms, retryMax: 300ms}\n" +
		"- {name: olm/tools, directory: tools, refresh: 200ms, retryMax: 300ms}\n" +
		"- {name: olm/far, url: http://" + w.far.address + "/catalogs/far, refresh: 200ms, retryMax: 300ms}\n"
	require.NoError(t, os.WriteFile(w.path("catalogs.yaml"), []byte(config), 0o644))
	w.applyFile(t, "crd.yaml")
	w.applyFile(t, "rbac.yaml")
	eventually(t, func() error { return w.client.List(t.Context(), new(v1alpha1.OperatorSetList)) })
	w.main = w.start(t, "controller")

	for _, part := range []struct {
		name string
		run  func(*testing.T, *world)
	}{
		{"the manifests are accepted", testManifests},
		{"plans and conflicts are in the status", testAnswers},
		{"an invalid request is reported once", testInvalid},
		{"a malformed request is rejected", testRefused},
		{"a status stays within its limits", testBounds},
		{"a catalog changes", testCatalogChanges},
		{"a catalog goes and comes back", testCatalogGoes},
		{"the controller is killed", testControllerKilled},
		{"a catalog is far away, and kept", testFar},
		{"the API server is killed", testServerKilled},
		{"an object is deleted", testDeleted},
		{"another replica takes over", testReplicas},
	} {
		began := time.Now()
		if !t.Run(part.name, func(t *testing.T) { part.run(t, w) }) {
			t.FailNow()
		}
		t.Logf("%s: %.1f s", part.name, time.Since(began).Seconds())
	}
}

func condition(s *v1alpha1.OperatorSetStatus, kind string) metav1.Condition {
	if c := meta.FindStatusCondition(s.Conditions, kind); c != nil {
		return *c
	}
	return metav1.Condition{}
}

func named(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "team-" + name, Name: name}
}

// testManifests has the server validate manifests without running them. The
// namespace admits only restricted pods.
func testManifests(t *testing.T, w *world) {
	w.applyFile(t, "deployment.yaml")
	w.applyFile(t, "sample.yaml")
	require.NoError(t, w.client.DeleteAllOf(t.Context(), new(v1alpha1.OperatorSet), client.InNamespace("default")))
	deployment := new(appsv1.Deployment)
	key := types.NamespacedName{Namespace: "resolute-system", Name: "resolute-controller"}
	require.NoError(t, w.client.Get(t.Context(), key, deployment))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: "one"}, Spec: deployment.Spec.Template.Spec}
	require.NoError(t, w.client.Create(t.Context(), pod.DeepCopy(), client.DryRunAll))
	pod.Spec.Containers[0].SecurityContext = nil
	require.ErrorContains(t, w.client.Create(t.Context(), pod, client.DryRunAll), "violates PodSecurity")
}

func testAnswers(t *testing.T, w *world) {
	before := w.freeze(t)
	shop := w.ask(t, "shop", "{subscriptions: [{name: my-app, package: app}]}")
	set := w.answered(t, shop, v1alpha1.ReasonResolved, hasSet("app.v1.0.0", "db.v1.0.0"))
	one, olm := semver.MustParse("1.0.0"), cache.Key{Namespace: "olm", Name: "shop"}
	want := []resolver.Step{
		{Wave: 0, Action: resolver.Install, Bundle: "db.v1.0.0", Package: "db", Version: &one, Catalog: olm, Channel: "stable",
			Because: set.Status.Steps[0].Because, Image: set.Status.Steps[0].Image},
		{Wave: 1, Action: resolver.Install, Bundle: "app.v1.0.0", Package: "app", Version: &one, Catalog: olm, Channel: "stable",
			Because: []resolver.Reason{{Subscription: "my-app"}}, Image: set.Status.Steps[1].Image},
	}
	require.Empty(t, cmp.Diff(want, set.Status.Steps))
	require.Equal(t, "app.v1.0.0", set.Status.Steps[0].Because[0].Bundle)
	require.Equal(t, metav1.ConditionTrue, condition(&set.Status, v1alpha1.ConditionResolved).Status)
	require.Equal(t, metav1.ConditionTrue, condition(&set.Status, v1alpha1.ConditionCatalogsAvailable).Status)
	require.Len(t, set.Status.Catalogs, 3)
	require.Equal(t, "olm/shop", set.Status.Catalogs[1].Name)
	require.Equal(t, int32(10), set.Status.Catalogs[1].Priority)
	require.Regexp(t, "^sha256:[0-9a-f]{64}$", set.Status.Catalogs[1].Digest)

	clash := w.ask(t, "clash", "{subscriptions: [{name: my-app, package: app}, {name: my-rival, package: rival}]}")
	set = w.answered(t, clash, v1alpha1.ReasonConflict, nil)
	require.Equal(t, metav1.ConditionFalse, condition(&set.Status, v1alpha1.ConditionResolved).Status)
	require.Empty(t, set.Status.Set)
	require.Contains(t, set.Status.Conflict.Text, "app keeps its orders in a database")
	var facts []string
	for _, f := range set.Status.Conflict.Facts {
		facts = append(facts, f.Kind+" "+f.Subject)
	}
	slices.Sort(facts)
	require.Equal(t, []string{"constraint app.v1.0.0", "gvk example.com/v1/Database", "subscription my-app", "subscription my-rival"}, facts)
	var helps []string
	for _, c := range set.Status.Conflict.Corrections {
		require.NotEmpty(t, c.Text)
		helps = append(helps, c.Changes[0].Kind+" "+c.Changes[0].Subject+" "+strings.Join(c.Result, ","))
	}
	require.Contains(t, helps, "dropSubscription my-rival app.v1.0.0,db.v1.0.0")
	require.Contains(t, helps, "dropSubscription my-app rival.v2.0.0")

	tools := w.ask(t, "tools", "{catalogs: [{name: olm/tools, priority: 7}], subscriptions: [{name: my-tool, package: tool}]}")
	set = w.answered(t, tools, v1alpha1.ReasonResolved, hasSet("tool.v1.0.0"))
	require.Len(t, set.Status.Catalogs, 1)
	require.Equal(t, int32(7), set.Status.Catalogs[0].Priority)

	partial := w.ask(t, "partial", "{policy: {failures: Partial}, subscriptions: [{name: my-app, package: app}, {name: my-rival, package: rival}]}")
	set = w.answered(t, partial, v1alpha1.ReasonPartlyResolved, hasSet("app.v1.0.0", "db.v1.0.0"))
	require.Equal(t, "my-rival", set.Status.Unresolved[0].Subscription)
	require.NotEmpty(t, set.Status.Unresolved[0].Conflict.Facts)

	installed := w.ask(t, "installed", "{policy: {unavailable: LastGood}, subscriptions: [{name: my-db, package: db, installedCSV: db.v1.0.0}], installed: [{name: db.v1.0.0}]}")
	set = w.answered(t, installed, v1alpha1.ReasonResolved, hasSet("db.v1.0.0"))
	require.Equal(t, resolver.Keep, set.Status.Steps[0].Action)

	// One answer and one write per object.
	writes := w.freeze(t).writes[len(before.writes):]
	for _, write := range writes {
		require.Equal(t, "update operatorsets/status 200", fmt.Sprintf("%s %s %d", write.Verb, write.Resource, write.Code))
	}
	require.Len(t, writes, 5)
}

func testInvalid(t *testing.T, w *world) {
	before := w.freeze(t)
	broken := w.ask(t, "broken", "{subscriptions: [{name: my-app, package: app, versionRange: banana}]}")
	set := w.answered(t, broken, v1alpha1.ReasonInvalidRequest, nil)
	c := condition(&set.Status, v1alpha1.ConditionResolved)
	require.Equal(t, metav1.ConditionFalse, c.Status)
	require.Contains(t, c.Message, "spec.subscriptions[0].versionRange")
	require.Contains(t, c.Message, "banana")

	// It is not retried.
	w.settled(t, w.main, 6)
	tries := w.main.metric(t, "controller_runtime_reconcile_total")
	time.Sleep(1500 * time.Millisecond)
	require.Equal(t, tries, w.main.metric(t, "controller_runtime_reconcile_total"))
	w.unchanged(t, before, broken)

	w.ask(t, "broken", "{catalogs: [{name: olm/nowhere}]}")
	set = w.answered(t, broken, v1alpha1.ReasonInvalidRequest, nil)
	require.Contains(t, condition(&set.Status, v1alpha1.ConditionResolved).Message, "it has olm/far, olm/shop, olm/tools")
	w.ask(t, "broken", "{subscriptions: [{name: my-db, package: db}]}")
	w.answered(t, broken, v1alpha1.ReasonResolved, hasSet("db.v1.0.0"))
	require.Len(t, w.freeze(t).writes, len(before.writes)+3)
}

func testRefused(t *testing.T, w *world) {
	before := w.freeze(t)
	key := types.NamespacedName{Namespace: "team-shop", Name: "refused"}
	for _, spec := range []string{
		"{policy: {goal: Newer}}",
		"{subscriptions: [{name: my-app}]}",
		"{subscriptions: [{name: my-app, package: app}, {name: my-app, package: db}]}",
		"{catalogs: [{name: olm}]}",
		"{subscription: [{name: my-app, package: app}]}",
	} {
		require.Error(t, w.apply(t.Context(), manifest(key, spec)), spec)
	}
	w.unchanged(t, before)
}

func testBounds(t *testing.T, w *world) {
	verbose := w.ask(t, "verbose", "{subscriptions: [{name: wordy, package: verbose}]}")
	set := w.answered(t, verbose, v1alpha1.ReasonConflict, nil)
	require.Less(t, size(t, set.Status), 64<<10)
	require.Contains(t, set.Status.Conflict.Text, "line 1 of the reasons")
	require.NotContains(t, set.Status.Conflict.Text, "line 1499 of the reasons")
}

func testCatalogChanges(t *testing.T, w *world) {
	before := w.freeze(t)
	writeOperator(t, w.path("shop"), db("1.0.0", "1.1.0"))
	set := w.answered(t, named("shop"), v1alpha1.ReasonResolved, hasSet("app.v1.0.0", "db.v1.1.0"))
	old := before.objects[named("shop")]
	require.NotEqual(t, old.Status.Catalogs[1].Digest, set.Status.Catalogs[1].Digest)
	require.Equal(t, old.Status.Catalogs[0], set.Status.Catalogs[0])
	require.Equal(t, old.Status.Catalogs[2], set.Status.Catalogs[2])
	require.Equal(t, old.Generation, set.Generation)

	set = w.answered(t, named("installed"), v1alpha1.ReasonResolved, hasSet("db.v1.1.0"))
	require.Equal(t, resolver.Upgrade, set.Status.Steps[0].Action)
	require.Equal(t, []string{"db.v1.0.0"}, set.Status.Steps[0].Replaces)

	// The conflict is unchanged with the new content; a plan that does not use
	// the catalog is not rewritten.
	w.written(t, before, len(w.objects)-1)
	require.Equal(t, before.objects[named("clash")].Status.Conflict.Facts, w.freeze(t).objects[named("clash")].Status.Conflict.Facts)
	w.unchanged(t, before, w.allBut(named("tools"))...)

	// Rewriting a file with the same content is not a change.
	before = w.freeze(t)
	writeOperator(t, w.path("shop"), db("1.0.0", "1.1.0"))
	time.Sleep(time.Second)
	w.unchanged(t, before)
}

func testCatalogGoes(t *testing.T, w *world) {
	before := w.freeze(t)
	require.NoError(t, os.Rename(w.path("shop"), w.path("gone")))
	set := w.answered(t, named("shop"), v1alpha1.ReasonCatalogUnavailable, nil)
	c := condition(&set.Status, v1alpha1.ConditionResolved)
	require.Equal(t, metav1.ConditionUnknown, c.Status)
	require.Contains(t, c.Message, "olm/shop")
	require.Equal(t, metav1.ConditionFalse, condition(&set.Status, v1alpha1.ConditionCatalogsAvailable).Status)
	require.Empty(t, set.Status.Steps, "a plan that may be wrong is removed")
	require.NotEmpty(t, set.Status.Catalogs[1].Unavailable)

	set = w.answered(t, named("installed"), v1alpha1.ReasonResolved, func(s *v1alpha1.OperatorSetStatus) error {
		if condition(s, v1alpha1.ConditionCatalogsAvailable).Status != metav1.ConditionFalse {
			return errors.New("the catalog is still available")
		}
		return hasSet("db.v1.1.0")(s)
	})
	require.Equal(t, resolver.WarningUnavailable, set.Status.Warnings[0].Kind)
	require.Equal(t, "True", string(condition(&set.Status, v1alpha1.ConditionResolved).Status))

	// Every read fails, and no failure after the first is written.
	w.written(t, before, len(w.objects)-1)
	gone := w.freeze(t)
	time.Sleep(1500 * time.Millisecond)
	w.unchanged(t, gone)
	w.unchanged(t, before, w.allBut(named("tools"))...)

	require.NoError(t, os.Rename(w.path("gone"), w.path("shop")))
	for key, old := range before.objects {
		set := w.answered(t, key, condition(&old.Status, v1alpha1.ConditionResolved).Reason, func(s *v1alpha1.OperatorSetStatus) error {
			if condition(s, v1alpha1.ConditionCatalogsAvailable).Status != metav1.ConditionTrue {
				return errors.New("the catalog is still missing")
			}
			return nil
		})
		// Everything except the transition times is as before.
		for i := range set.Status.Conditions {
			set.Status.Conditions[i].LastTransitionTime = old.Status.Conditions[i].LastTransitionTime
		}
		require.Empty(t, cmp.Diff(old.Status, set.Status))
	}
}

func testControllerKilled(t *testing.T, w *world) {
	w.settled(t, w.main, len(w.objects))
	before := w.freeze(t)
	w.main.process.Kill()
	w.unchanged(t, before)
	w.main = w.start(t, "controller")
	w.settled(t, w.main, len(w.objects))
	w.unchanged(t, before)
	require.Zero(t, w.main.metric(t, "resolute_controller_status_writes_total"))

	// Changes during downtime are resolved afterwards.
	w.main.process.Kill()
	w.ask(t, "tools", "{catalogs: [{name: olm/tools}], subscriptions: [{name: my-tool, package: tool}]}")
	w.main = w.start(t, "controller")
	set := w.answered(t, named("tools"), v1alpha1.ReasonResolved, hasSet("tool.v1.0.0"))
	require.Zero(t, set.Status.Catalogs[0].Priority)
	w.settled(t, w.main, len(w.objects))
	w.unchanged(t, before, named("tools"))
}

func testFar(t *testing.T, w *world) {
	key := w.ask(t, "far", "{catalogs: [{name: olm/far}], policy: {unavailable: LastGood}, subscriptions: [{name: my-far, package: far}]}")
	set := w.answered(t, key, v1alpha1.ReasonResolved, hasSet("far.v1.0.0"))
	require.Empty(t, set.Status.Warnings)
	eventually(t, func() error {
		if sent, confirmed := w.far.count(); sent == 0 || confirmed == 0 {
			return fmt.Errorf("sent %d times, confirmed %d times", sent, confirmed)
		}
		return nil
	})
	available := func(want metav1.ConditionStatus) func(*v1alpha1.OperatorSetStatus) error {
		return func(s *v1alpha1.OperatorSetStatus) error {
			if got := condition(s, v1alpha1.ConditionCatalogsAvailable); got.Status != want {
				return fmt.Errorf("%+v", got)
			}
			return nil
		}
	}
	w.far.setFailing(true)
	set = w.answered(t, key, v1alpha1.ReasonResolved, available(metav1.ConditionFalse))
	require.Equal(t, []string{"far.v1.0.0"}, set.Status.Set)
	require.Contains(t, set.Status.Catalogs[0].Unavailable, "503")
	w.answered(t, named("installed"), v1alpha1.ReasonResolved, available(metav1.ConditionFalse))
	for _, other := range w.allBut(key, named("tools"), named("installed")) {
		w.answered(t, other, v1alpha1.ReasonCatalogUnavailable, nil)
	}

	// A new controller uses the copies of the old one while the source is
	// down.
	before := w.freeze(t)
	w.main.process.Kill()
	w.main = w.start(t, "controller")
	w.settled(t, w.main, len(w.objects))
	w.unchanged(t, before)

	sent, _ := w.far.count()
	w.far.setFailing(false)
	set = w.answered(t, key, v1alpha1.ReasonResolved, available(metav1.ConditionTrue))
	require.Equal(t, before.objects[key].Status.Steps, set.Status.Steps)
	require.Equal(t, before.objects[key].Status.Catalogs[0].Digest, set.Status.Catalogs[0].Digest)
	again, _ := w.far.count()
	require.Equal(t, sent, again, "the kept copy is confirmed, not sent again")
	w.written(t, before, len(w.objects)-1)
}

func testServerKilled(t *testing.T, w *world) {
	before := w.freeze(t)
	w.server.KillAPI()
	// A catalog changes while the status cannot be written.
	writeOperator(t, w.path("tools"), tool("1.0.0", "1.2.0"))
	time.Sleep(time.Second)
	require.NoError(t, w.server.StartAPI(t.Context()))
	set := w.answered(t, named("tools"), v1alpha1.ReasonResolved, hasSet("tool.v1.2.0"))
	require.NotEqual(t, before.objects[named("tools")].Status.Catalogs[0].Digest, set.Status.Catalogs[0].Digest)
	select {
	case <-w.main.process.Done():
		require.Fail(t, "the controller did not survive", w.main.process.Log())
	default:
	}
	// Objects that use all catalogs report the new content and are otherwise
	// unchanged.
	w.written(t, before, len(w.objects)-1)
	for key, old := range before.objects {
		set, err := w.get(t.Context(), key)
		require.NoError(t, err)
		switch key {
		case named("tools"):
		case named("far"):
			require.Equal(t, old, set)
		default:
			require.Equal(t, old.Status.Set, set.Status.Set)
			require.Equal(t, old.Status.Conflict, set.Status.Conflict)
			require.Equal(t, old.Status.Conditions, set.Status.Conditions)
		}
	}

	// Killed again without changes: nothing is written, before or after the
	// watch reconnects.
	before = w.freeze(t)
	w.server.KillAPI()
	require.NoError(t, w.server.StartAPI(t.Context()))
	w.unchanged(t, before)
	w.ask(t, "broken", "{subscriptions: [{name: my-tool, package: tool}]}")
	w.answered(t, named("broken"), v1alpha1.ReasonResolved, hasSet("tool.v1.2.0"))
	w.unchanged(t, before, named("broken"))
	require.Len(t, w.freeze(t).writes, len(before.writes)+1)
}

func testDeleted(t *testing.T, w *world) {
	gone := named("verbose")
	set, err := w.get(t.Context(), gone)
	require.NoError(t, err)
	w.objects = slices.DeleteFunc(w.objects, func(k types.NamespacedName) bool { return k == gone })
	before := w.freeze(t)
	require.NoError(t, w.client.Delete(t.Context(), set))
	_, err = w.get(t.Context(), gone)
	require.True(t, apierrors.IsNotFound(err))
	w.ask(t, "partial", "{subscriptions: [{name: my-app, package: app}]}")
	w.answered(t, named("partial"), v1alpha1.ReasonResolved, hasSet("app.v1.0.0", "db.v1.1.0"))
	w.unchanged(t, before, named("partial"))
}

func testReplicas(t *testing.T, w *world) {
	require.NoError(t, w.main.process.Stop(20*time.Second), "it exits cleanly")
	elect := []string{"--leader-elect", "--leader-election-namespace=resolute-system"}
	first := w.start(t, "first", elect...)
	w.settled(t, first, len(w.objects))
	second := w.start(t, "second", elect...)
	before := w.freeze(t)
	writeOperator(t, w.path("tools"), tool("1.0.0", "1.2.0", "1.3.0"))
	w.answered(t, named("tools"), v1alpha1.ReasonResolved, hasSet("tool.v1.3.0"))
	require.Zero(t, second.metric(t, "resolute_controller_answers_total"), "only the leader answers")
	w.written(t, before, len(w.objects)-1)
	require.NoError(t, first.process.Stop(20*time.Second))
	w.settled(t, second, len(w.objects))
	require.Zero(t, second.metric(t, "resolute_controller_status_writes_total"))
	writeOperator(t, w.path("shop"), db("1.0.0", "1.1.0", "1.2.0"))
	w.answered(t, named("shop"), v1alpha1.ReasonResolved, hasSet("app.v1.0.0", "db.v1.2.0"))
	require.NoError(t, second.process.Stop(20*time.Second))
}
