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

// The methods that are called.
const (
	methodListBundles = "/api.Registry/ListBundles"
	methodGetBundle   = "/api.Registry/GetBundle"
	methodGetPackage  = "/api.Registry/GetPackage"
)

// client is a connection to a server, for one load.
type client struct {
	*server
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   *time.Timer
	conn   *grpc.ClientConn
	left   int64 // bytes that may still come
}

// errIdle is the cause of the end of an answer that stood still.
var errIdle = errors.New("idle")

func (s *server) connect(ctx context.Context) (*client, error) {
	how := insecure.NewCredentials()
	if s.opts.TLS != nil {
		how = credentials.NewTLS(s.opts.TLS)
	}
	conn, err := grpc.NewClient(s.address, grpc.WithTransportCredentials(how), grpc.WithUserAgent("resolute"),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(s.opts.MaxMessageBytes), grpc.ForceCodec(api.Codec{MaxFields: MaxItems})), grpc.WithIdleTimeout(0), grpc.WithDisableServiceConfig())
	if err != nil {
		return nil, fmt.Errorf("%q is not the address of a catalog: %w", s.address, err)
	}
	c := &client{server: s, conn: conn, left: s.opts.MaxBytes}
	if err := c.reach(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.idle = time.AfterFunc(s.opts.IdleTimeout, func() { c.cancel(errIdle) })
	return c, nil
}

// reach waits until the server is there.
func (c *client) reach(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, c.opts.ConnectTimeout)
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
		if !c.conn.WaitForStateChange(within, state) {
			if err := ctx.Err(); err != nil {
				return c.stopped(err)
			}
			why := c.why(ctx)
			if err := ctx.Err(); err != nil {
				return c.stopped(err)
			}
			return c.late("a connection", c.opts.ConnectTimeout, why)
		}
	}
}

// late is the error of a server that keeps waiting.
func (c *client) late(waiting string, limit time.Duration, err error) error {
	return &cache.TimeoutError{Source: c.source(), Host: c.address, Waiting: waiting, Limit: limit, Err: err}
}

// stopped says that reading was ended from outside.
func (c *client) stopped(cause error) error {
	return fmt.Errorf("reading %s was stopped: %w", c.source(), cause)
}

// why asks the connection what is wrong with it, for a second at most.
func (c *client) why(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := c.conn.Invoke(ctx, methodGetPackage, api.Request{}, &api.Package{})
	advice := "check that the address is HOST:PORT and that the catalog pod runs"
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

// came counts a message that came, and the items in it.
func (c *client) came(size, items int) error {
	c.idle.Reset(c.opts.IdleTimeout)
	if c.left -= int64(size + held*(4+items)); c.left < 0 {
		return c.tooLarge("MaxBytes", c.opts.MaxBytes, "bytes")
	}
	return nil
}

// held is what an item of a message takes in memory beside its texts, in bytes, and a
// quarter of what the message does.
const held = 128

// failed makes an error of what a call returned.
func (c *client) failed(asked string, err error) error {
	if cause := context.Cause(c.ctx); cause == errIdle {
		return c.late("more content", c.opts.IdleTimeout, nil)
	} else if cause != nil {
		return c.stopped(cause)
	}
	s := status.Convert(err)
	if s.Code() == codes.ResourceExhausted {
		return c.tooLarge("MaxMessageBytes", int64(c.opts.MaxMessageBytes), "bytes in a message")
	}
	return &statusError{c.source(), asked, s}
}

// tooLarge is the error of a server that sends more than it may.
func (c *client) tooLarge(limit string, most int64, what string) error {
	return &cache.LimitError{Source: c.source(), Limit: limit, Max: most, What: what, Advice: "if it can be trusted, raise " + limit}
}

// listBundles goes through all bundles, each once for each of its channels.
func (c *client) listBundles(fn func(*api.Bundle) error) error {
	const asked = "all bundles"
	stream, err := c.conn.NewStream(c.ctx, &grpc.StreamDesc{ServerStreams: true}, methodListBundles)
	if err == nil {
		if err = stream.SendMsg(api.Request{}); err == nil {
			err = stream.CloseSend()
		}
	}
	if err != nil && err != io.EOF { // the reason comes with the next message
		return c.failed(asked, err)
	}
	for {
		b := &api.Bundle{}
		switch err := stream.RecvMsg(b); {
		case err == io.EOF:
			return nil
		case err != nil:
			return c.failed(asked, err)
		}
		err := c.came(b.Size, len(b.Skips)+len(b.Properties)+len(b.Dependencies))
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
		return &statusError{c.source(), "the package " + name, status.New(codes.Internal, "it sent another, "+p.Name)}
	}
	fn(p)
	return c.came(p.Size, len(p.Channels))
}

// details asks for each bundle by itself, for its ClusterServiceVersion.
func (c *client) details(b *blobs) error {
	for _, key := range b.bundleKeys() {
		from := b.bundles[key][0]
		if from.CsvJson != "" {
			continue
		}
		one := &api.Bundle{}
		ask := api.Request{from.PackageName, from.ChannelName, from.CsvName}
		if err := c.conn.Invoke(c.ctx, methodGetBundle, ask, one); err != nil {
			return c.failed("the bundle "+from.CsvName, err)
		}
		if err := c.came(one.Size, len(one.Skips)+len(one.Properties)+len(one.Dependencies)); err != nil {
			return err
		}
		from.CsvJson = one.CsvJson
	}
	return nil
}
