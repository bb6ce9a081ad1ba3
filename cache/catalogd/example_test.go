package catalogd_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/catalogd"
	"github.com/seed109e2655/resolute/cache/fbc"
)

// The second load sends a conditional request.
func ExampleNew() {
	modified := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", modified, strings.NewReader(one))
	}))
	defer server.Close()
	defer server.Client().CloseIdleConnections()

	source, err := catalogd.New(server.URL+"/catalogs/operatorhubio", catalogd.Options{
		Client: server.Client(), // provides certificates, and tokens through a RoundTripper
		FBC:    fbc.Options{Catalog: cache.Key{Namespace: "olm", Name: "operatorhubio"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	first, err := source.Load(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	second, err := source.Load(ctx, first)
	fmt.Println(first.Catalog.Len(), "bundles, changed", first.Modified.Format(time.DateOnly))
	fmt.Println("unchanged:", first == second, err)
	// Output:
	// 2 bundles, changed 2024-05-01
	// unchanged: true <nil>
}

// This shows the error of a server that does not return a catalog.
func Example_status() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "30")
		http.Error(w, "too many clients", http.StatusServiceUnavailable)
	}))
	defer server.Close()
	defer server.Client().CloseIdleConnections()
	source, err := catalogd.New(server.URL, catalogd.Options{Client: server.Client()})
	if err != nil {
		log.Fatal(err)
	}
	_, err = source.Load(context.Background(), nil)
	var status *cache.StatusError
	if errors.As(err, &status) {
		fmt.Println(status.Code, status.Excerpt, status.RetryAfter())
	}
	fmt.Println(strings.ReplaceAll(err.Error(), server.Listener.Addr().String(), "catalogd.example.com"))
	// Output:
	// 503 too many clients 30s
	// the catalog at http://catalogd.example.com/api/v1/all cannot be read: catalogd.example.com answered with status 503 (Service Unavailable) and "too many clients": try again later (Retry-After 30s)
}
