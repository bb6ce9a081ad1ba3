// Controller keeps catalogs fresh and resolves OperatorSets: custom resources
// with subscriptions whose status receives the plan or the conflict.
//
//	go run . --config catalogs.yaml
//
// See README.md.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
	"github.com/seed109e2655/resolute/examples/controller/internal/catalogs"
	"github.com/seed109e2655/resolute/examples/controller/internal/forecast"
	"github.com/seed109e2655/resolute/examples/controller/internal/metrics"
	"github.com/seed109e2655/resolute/examples/controller/internal/operatorset"
)

// firstLoad is the time limit for the first load of the catalogs, after which
// objects are resolved with the copies on disk.
const firstLoad = 10 * time.Second

// options are the flags.
type options struct {
	config          string
	metricsAddress  string
	probeAddress    string
	leaderElect     bool
	leaderNamespace string
	workers         int
	debug           bool
	olm             bool
}

func main() {
	var o options
	flag.StringVar(&o.config, "config", "catalogs.yaml", "configuration file with the catalogs")
	flag.StringVar(&o.metricsAddress, "metrics-bind-address", ":8080", "address of /metrics and /catalogs; 0 disables it")
	flag.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081", "address of /healthz and /readyz; 0 disables it")
	flag.BoolVar(&o.leaderElect, "leader-elect", false, "elect one of several replicas as the leader")
	flag.StringVar(&o.leaderNamespace, "leader-election-namespace", "", "namespace of the lease; default: the controller's namespace")
	flag.IntVar(&o.workers, "workers", 2, "number of objects resolved concurrently")
	flag.BoolVar(&o.olm, "olm", false, "also watch OLM's objects, and write a forecast of OLM's next actions into a ConfigMap of each namespace")
	flag.BoolVar(&o.debug, "debug", false, "log more")
	flag.Parse()
	if err := run(ctrl.SetupSignalHandler(), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the controller until ctx ends.
func run(ctx context.Context, o options) (err error) {
	logger := newLogger(o.debug)
	data, err := os.ReadFile(o.config)
	if err != nil {
		return err
	}
	config, err := catalogs.ParseConfig(data, filepath.Dir(o.config))
	if err != nil {
		return fmt.Errorf("%s: %w", o.config, err)
	}
	measured := metrics.NewPrometheus(ctrlmetrics.Registry)
	secrets, err := newSecrets(config)
	if err != nil {
		return err
	}
	kept, err := catalogs.Open(config, logger, measured, secrets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	mgr, err := newManager(o, kept)
	if err != nil {
		return err
	}
	reconciler := &operatorset.Reconciler{
		Client:   mgr.GetClient(),
		Catalogs: kept,
		Resolver: resolver.New(resolver.WithLogger(logger), resolver.WithMetrics(measured)),
		Metrics:  measured,
	}
	if err := reconciler.Setup(mgr, o.workers); err != nil {
		return err
	}
	if o.olm {
		forecaster := &forecast.Reconciler{Client: mgr.GetClient(), Catalogs: kept, Resolver: reconciler.Resolver}
		if err := forecaster.Setup(mgr); err != nil {
			return err
		}
	}
	catalogs.AwaitFirstLoad(ctx, kept, firstLoad)
	return mgr.Start(ctx)
}

// newSecrets returns a reader of the catalogs' pull secrets, or nil if there
// are none. It reads from the API server each time: the controller may get
// these Secrets but not list or watch any.
func newSecrets(c *catalogs.Config) (catalogs.Secrets, error) {
	if !c.NeedsSecrets() {
		return nil, nil
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	reader, err := client.New(config, client.Options{})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, namespace, name string) (map[string][]byte, error) {
		secret := new(corev1.Secret)
		err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret)
		return secret.Data, err
	}, nil
}

// newManager returns a manager with its endpoints.
func newManager(o options, kept *cache.Cache) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	var watched ctrlcache.Options
	if o.olm {
		if err := corev1.AddToScheme(scheme); err != nil {
			return nil, err
		}
		watched.ByObject = forecast.Watched()
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme,
		Cache:  watched,
		Client: client.Options{Cache: &client.CacheOptions{Unstructured: o.olm}},
		Metrics: metricsserver.Options{
			BindAddress:   o.metricsAddress,
			ExtraHandlers: map[string]http.Handler{"/catalogs": health(kept)},
		},
		HealthProbeBindAddress:        o.probeAddress,
		LeaderElection:                o.leaderElect,
		LeaderElectionID:              "resolute-controller",
		LeaderElectionNamespace:       o.leaderNamespace,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return nil, err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, err
	}
	return mgr, mgr.AddReadyzCheck("catalogs", func(*http.Request) error { return ready(kept) })
}

// ready reports whether each catalog was loaded or has failed. A failure is
// reported in the objects and is no reason to restart the controller.
func ready(kept *cache.Cache) error {
	for _, h := range kept.Health() {
		if h.LastSuccess.IsZero() && !h.Warm && h.Failures == 0 {
			return fmt.Errorf("catalog %s is still loading for the first time", h.Key)
		}
	}
	return nil
}

// health serves the health of the catalogs.
func health(kept *cache.Cache) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		// An error means that the client is gone.
		_ = encoder.Encode(kept.Health())
	})
}

// newLogger returns a logger that writes JSON to standard error, and sets it
// for the Kubernetes libraries as well.
func newLogger(debug bool) *slog.Logger {
	level := slog.LevelInfo
	if debug {
		level = slog.LevelDebug
	}
	handler := slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level})
	ctrl.SetLogger(logr.FromSlogHandler(handler))
	klog.SetLogger(logr.FromSlogHandler(handler))
	return slog.New(handler)
}
