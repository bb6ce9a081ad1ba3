package opmgrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/opmgrpc/internal/api"
)

// Methods of the service.
const (
	methodListBundles = "/api.Registry/ListBundles"
	methodGetBundle   = "/api.Registry/GetBundle"
	methodGetPackage  = "/api.Registry/GetPackage"
)

// client is a connection to a server, for one load.
type client struct {
	*server
	ctx       context.Context
	cancel    context.CancelCauseFunc
	idle      *time.Timer
	conn      *grpc.ClientConn
	remaining int64 // bytes that may still be received
}

// errIdle is the cause of canceling an idle response.
var errIdle = errors.New("idle")

func (s *server) connect(ctx context.Context) (*client, error) {
	creds := insecure.NewCredentials()
	if s.opts.TLS != nil {
		creds = credentials.NewTLS(s.opts.TLS)
	}
	conn, err := grpc.NewClient(s.address, grpc.WithTransportCredentials(creds), grpc.WithUserAgent("resolute"),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(s.opts.MaxMessageBytes), grpc.ForceCodec(api.Codec{MaxFields: MaxItems})), grpc.WithIdleTimeout(0), grpc.WithDisableServiceConfig())
	if err != nil {
		return nil, fmt.Errorf("%q is not the address of a catalog: %w", s.address, err)
	}
	c := &client{server: s, conn: conn, remaining: s.opts.MaxBytes}
	if err := c.awaitReady(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.idle = time.AfterFunc(s.opts.IdleTimeout, func() { c.cancel(errIdle) })
	return c, nil
}

// awaitReady waits until the server is connected.
func (c *client) awaitReady(ctx context.Context) error {
	connectCtx, cancel := context.WithTimeout(ctx, c.opts.ConnectTimeout)
	defer cancel()
	c.conn.Connect()
	for {
		state := c.conn.GetState()
		if state == connectivity.Ready {
			return nil
		}
		if state == connectivity.Idle {
			c.conn.Connect()
		}
		if !c.conn.WaitForStateChange(connectCtx, state) {
			if err := ctx.Err(); err != nil {
				return c.canceled(err)
			}
			cause := c.connectError(ctx)
			if err := ctx.Err(); err != nil {
				return c.canceled(err)
			}
			return c.timeoutError("a connection", c.opts.ConnectTimeout, cause)
		}
	}
}

// timeoutError returns the error of a wait that exceeds its limit.
func (c *client) timeoutError(waiting string, limit time.Duration, err error) error {
	return &cache.TimeoutError{Source: c.source(), Host: c.address, Waiting: waiting, Limit: limit, Err: err}
}

// canceled returns the error of a canceled load.
func (c *client) canceled(cause error) error {
	return fmt.Errorf("reading %s was canceled: %w", c.source(), cause)
}

// connectError finds out why the connection failed, within one second.
func (c *client) connectError(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := c.conn.Invoke(ctx, methodGetPackage, api.Request{}, &api.Package{})
	advice := "check that the address is HOST:PORT and that the catalog pod is running"
	if s := status.Convert(err); s.Code() == codes.Unavailable {
		advice += ": " + quoted(s.Message())
	}
	return errors.New(advice)
}

func (c *client) close() {
	c.idle.Stop()
	c.cancel(nil)
	_ = c.conn.Close()
}

// received counts the bytes and items of a message against the limits.
func (c *client) received(size, items int) error {
	c.idle.Reset(c.opts.IdleTimeout)
	if c.remaining -= int64(size + itemBytes*(4+items)); c.remaining < 0 {
		return c.limitExceeded("MaxBytes", c.opts.MaxBytes, "bytes")
	}
	return nil
}

// itemBytes is the memory of an item of a message in addition to its strings, in bytes, and a
// quarter of that of a message.
const itemBytes = 128

// failed converts the error of a call. request describes the call.
func (c *client) failed(request string, err error) error {
	if cause := context.Cause(c.ctx); cause == errIdle {
		return c.timeoutError("more content", c.opts.IdleTimeout, nil)
	} else if cause != nil {
		return c.canceled(cause)
	}
	s := status.Convert(err)
	if s.Code() == codes.ResourceExhausted {
		return c.limitExceeded("MaxMessageBytes", int64(c.opts.MaxMessageBytes), "bytes in a message")
	}
	return &statusError{c.source(), request, s}
}

// limitExceeded returns the error of a server that exceeds a limit.
func (c *client) limitExceeded(field string, limit int64, what string) error {
	return &cache.LimitError{Source: c.source(), Limit: field, Max: limit, What: what, Advice: "if you trust the server, raise " + field}
}

// listBundles calls fn for each bundle, once for each of its channels.
func (c *client) listBundles(fn func(*api.Bundle) error) error {
	const request = "all bundles"
	stream, err := c.conn.NewStream(c.ctx, &grpc.StreamDesc{ServerStreams: true}, methodListBundles)
	if err == nil {
		if err = stream.SendMsg(api.Request{}); err == nil {
			err = stream.CloseSend()
		}
	}
	if err != nil && err != io.EOF { // RecvMsg returns the reason
		return c.failed(request, err)
	}
	for {
		b := &api.Bundle{}
		switch err := stream.RecvMsg(b); {
		case err == io.EOF:
			return nil
		case err != nil:
			return c.failed(request, err)
		}
		err := c.received(b.Size, len(b.Skips)+len(b.Properties)+len(b.Dependencies))
		if err == nil {
			err = fn(b)
		}
		if err != nil {
			return err
		}
	}
}

func (c *client) pkg(name string, fn func(*api.Package)) error {
	p := &api.Package{}
	if err := c.conn.Invoke(c.ctx, methodGetPackage, api.Request{name}, p); err != nil {
		return c.failed("the package "+name, err)
	}
	if p.Name != name {
		return &statusError{c.source(), "the package " + name, status.New(codes.Internal, "it sent the package "+p.Name)}
	}
	fn(p)
	return c.received(p.Size, len(p.Channels))
}

// details requests each bundle separately for its ClusterServiceVersion.
func (c *client) details(b *blobs) error {
	for _, key := range b.bundleKeys() {
		from := b.bundles[key][0]
		if from.CsvJson != "" {
			continue
		}
		one := &api.Bundle{}
		request := api.Request{from.PackageName, from.ChannelName, from.CsvName}
		if err := c.conn.Invoke(c.ctx, methodGetBundle, request, one); err != nil {
			return c.failed("the bundle "+from.CsvName, err)
		}
		if err := c.received(one.Size, len(one.Skips)+len(one.Properties)+len(one.Dependencies)); err != nil {
			return err
		}
		from.CsvJson = one.CsvJson
	}
	return nil
}
