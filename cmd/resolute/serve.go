package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/listing"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/serve"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) serveCommand() *cli.Command {
	return &cli.Command{
		Usage: "serve a web page to explore a scenario", ArgsUsage: "SCENARIO|CATALOG...",
		Description: `The page is served to this machine only. It searches packages and lets you subscribe to,
pin, forbid and drop them, and add installed bundles. The answer, the explanation of a
conflict and its corrections are updated at once. The page starts with a scenario, or with
catalogs and an empty request.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8642", Usage: "listen on the loopback `ADDRESS`; port 0 selects a free port"},
			&cli.DurationFlag{Name: "timeout", Value: serve.DefaultTimeout, Usage: "work on one request for at most `DURATION`"},
		}, limitFlags()...),
		Action: a.serve,
	}
}

// serve serves the page until it is interrupted.
func (a *app) serve(ctx context.Context, cmd *cli.Command) error {
	if err := checkArguments(cmd); err != nil {
		return err
	}
	s, err := a.served(ctx, cmd.Args().Slice())
	if err != nil {
		return err
	}
	server, err := serve.New(ctx, serve.Config{
		Scenario: s, Loader: a.loader(), Resolver: a.resolver(cmd), Timeout: cmd.Duration("timeout"), Logger: a.logger(cmd),
		Describe: func(ctx context.Context, c scenario.Catalog, content *cache.Catalog) (*listing.Index, error) {
			return a.describedCatalog(ctx, s, c, content)
		},
	})
	a.progress.Done()
	if err != nil {
		return err
	}
	listener, err := listen(ctx, cmd.String("listen"))
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "http://%s\n", listener.Addr())
	return serveUntil(ctx, listener, server.Handler())
}

// describedCatalog returns the listing of a catalog of a scenario.
func (a *app) describedCatalog(ctx context.Context, s *scenario.Scenario, c scenario.Catalog, content *cache.Catalog) (*listing.Index, error) {
	path := c.Image
	switch {
	case c.Blobs != nil:
		index := listing.New(content)
		for _, raw := range c.Blobs {
			index.Raw(raw)
		}
		return index, nil
	case c.Path != "":
		if path = filepath.FromSlash(c.Path); !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(s.File()), path)
		}
	}
	return a.listed(ctx, content, path)
}

// listen listens on a loopback address.
func listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen %s: the page is served to this machine only; listen on 127.0.0.1, [::1] or localhost, and use ssh -L for remote access", address)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", address, err)
	}
	if to, ok := listener.Addr().(*net.TCPAddr); !ok || !to.IP.IsLoopback() { // localhost may resolve to another address
		return nil, errors.Join(fmt.Errorf("--listen %s: %s is not a loopback address", address, listener.Addr()), listener.Close())
	}
	return listener, nil
}

// serveUntil serves until the context ends, then completes pending responses.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	err := server.Shutdown(last)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-done
	return err
}

// served returns the initial scenario: the named one, or an empty one with the named catalogs.
func (a *app) served(ctx context.Context, args []string) (*scenario.Scenario, error) {
	if len(args) == 1 {
		if info, err := os.Stat(args[0]); err == nil && info.Mode().IsRegular() {
			s, err := a.read(ctx, args[0])
			if err == nil {
				return s, nil
			}
			if key, path, failed := pull.Argument(args[0]); failed == nil {
				if _, other := a.loader().Catalog(ctx, key, path); other != nil {
					return nil, err
				}
			}
		}
	}
	s := &scenario.Scenario{}
	for _, arg := range args {
		key, path, err := pull.Argument(arg)
		if err != nil {
			return nil, err
		}
		s.Catalogs = append(s.Catalogs, scenario.Catalog{Namespace: key.Namespace, Name: key.Name, Path: path})
	}
	return s, nil
}
