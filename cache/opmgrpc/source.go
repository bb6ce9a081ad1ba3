package opmgrpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
)

// New returns a source of the catalog of a server at HOST:PORT, as in a CatalogSource's
// status.registryService or spec.address. Other gRPC targets, such as unix:///path, are valid
// too. In problems, the file is the address. Each Load opens and closes a connection.
//
// The error reports an invalid address. Load returns a [*cache.TimeoutError], a
// [*cache.LimitError], an error with a gRPC status (status.Code) if a call fails, the errors of
// [fbc.Stream], or the context's error.
func New(address string, opts Options) (cache.Source, error) {
	if address == "" || strings.ContainsAny(address, " \t\r\n") {
		return nil, fmt.Errorf("%q is not the address of a catalog: write HOST:PORT, for example operatorhubio-catalog.olm.svc:50051", address)
	}
	s := &server{address: address, opts: opts.withDefaults()}
	return fbc.Stream(address, s.fetch, opts.FBC), nil
}

// server is the address of a server and the options of its requests. It is safe for concurrent
// use.
type server struct {
	address string
	opts    Options
}

// source names the catalog in errors.
func (s *server) source() string { return "the catalog at " + s.address }

// fetch implements [fbc.Fetch]: it requests the catalog and returns its blobs.
func (s *server) fetch(ctx context.Context, _ string) (*fbc.Fetched, error) {
	c, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer c.close()
	b := newBlobs(s.address)
	err = c.listBundles(b.bundle)
	if err == nil && s.opts.Details {
		err = c.details(b)
	}
	for _, name := range b.packageNames() {
		if err != nil {
			break
		}
		err = c.pkg(name, b.pkg)
	}
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := b.write(ctx, &text); err != nil {
		return nil, err
	}
	if text.Len() == 0 {
		return nil, errors.New(s.source() + " is empty: the server has no bundles")
	}
	return &fbc.Fetched{Body: io.NopCloser(&text)}, nil
}
