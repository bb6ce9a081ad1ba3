package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/serve"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) serveCommand() *cli.Command {
	return &cli.Command{
		Usage: "a page on which to ask the same questions", ArgsUsage: "SCENARIO|CATALOG...",
		Description: `The page is for this machine alone. On it you search packages, subscribe to them, pin,
forbid and drop them, and pretend that something is installed. The answer, the argument and
the corrections follow at once. The page begins with a scenario, or with catalogs and an
empty question.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8642", Usage: "listen on `ADDRESS`, which is of this machine; port 0 takes a free one"},
			&cli.DurationFlag{Name: "timeout", Value: serve.DefaultTimeout, Usage: "work on one question for `DURATION` at most"},
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

// listen listens on an address of this machine; the page is for nobody else.
func listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen %s: the page is for this machine alone: listen on 127.0.0.1, [::1] or localhost, and reach it from elsewhere through ssh -L", address)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", address, err)
	}
	if to, ok := listener.Addr().(*net.TCPAddr); !ok || !to.IP.IsLoopback() { // whatever this machine calls localhost
		return nil, errors.Join(fmt.Errorf("--listen %s: %s is not an address of this machine alone", address, listener.Addr()), listener.Close())
	}
	return listener, nil
}

// serveUntil serves until the context ends, and then lets the last answers out.
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

// served is the scenario to begin with: the one that is named, or one with the
// catalogs that are named and nothing else.
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
