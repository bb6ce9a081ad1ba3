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
			return &TimeoutError{Address: c.address, Connecting: true, After: c.opts.ConnectTimeout, Err: why}
		}
	}
}

// stopped says that reading was ended from outside.
func (c *client) stopped(cause error) error {
	return fmt.Errorf("reading the catalog at %s was stopped: %w", c.address, cause)
}

// why asks the connection what is wrong with it, for a second at most.
func (c *client) why(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := c.conn.Invoke(ctx, methodGetPackage, api.Request{}, &api.Package{})
	if s := status.Convert(err); s.Code() == codes.Unavailable {
		return errors.New(s.Message())
	}
	return nil
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
		return &LimitError{Address: c.address, Limit: "MaxBytes", Max: c.opts.MaxBytes}
	}
	return nil
}

// held is what an item of a message takes in memory beside its texts, in bytes, and a
// quarter of what the message does.
const held = 128

// failed makes an error of what a call returned.
func (c *client) failed(asked string, err error) error {
	if cause := context.Cause(c.ctx); cause == errIdle {
		return &TimeoutError{Address: c.address, After: c.opts.IdleTimeout}
	} else if cause != nil {
		return c.stopped(cause)
	}
	s := status.Convert(err)
	if s.Code() == codes.ResourceExhausted {
		return &LimitError{Address: c.address, Limit: "MaxMessageBytes", Max: int64(c.opts.MaxMessageBytes)}
	}
	return &StatusError{Address: c.address, Asked: asked, Code: s.Code(), Message: s.Message()}
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
		return &StatusError{Address: c.address, Asked: "the package " + name, Code: codes.Internal, Message: "it sent another, " + p.Name}
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
