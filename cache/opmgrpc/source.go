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

// New returns a source of the catalog that a server has: HOST:PORT, as in
// status.registryService of a CatalogSource, or its spec.address; a target of
// gRPC, such as unix:///path, also does. In problems the address stands for the
// file. Load connects, asks, and closes the connection.
//
// The error is for an address that cannot be used. Load has a [*cache.TimeoutError], a
// [*cache.LimitError], one with a code of gRPC (status.Code) if the server refuses or
// breaks off, those of [fbc.Stream], or that of the context.
func New(address string, opts Options) (cache.Source, error) {
	if address == "" || strings.ContainsAny(address, " \t\r\n") {
		return nil, fmt.Errorf("%q is not the address of a catalog: write HOST:PORT, for example operatorhubio-catalog.olm.svc:50051", address)
	}
	s := &server{address: address, opts: opts.withDefaults()}
	return fbc.Stream(address, s.fetch, opts.FBC), nil
}

// server is a server and how it is asked. It is safe for concurrent use.
type server struct {
	address string
	opts    Options
}

// source is how errors call the catalog.
func (s *server) source() string { return "the catalog at " + s.address }

// fetch is an [fbc.Fetch]: it asks for the catalog and returns its blobs.
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
