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
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

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

// connect reaches the server.
func (s *server) connect(ctx context.Context) (*client, error) {
	how := insecure.NewCredentials()
	if s.opts.TLS != nil {
		how = credentials.NewTLS(s.opts.TLS)
	}
	conn, err := grpc.NewClient(s.address, grpc.WithTransportCredentials(how), grpc.WithUserAgent("resolute"),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(s.opts.MaxMessageBytes), grpc.ForceCodec(codec{})), grpc.WithIdleTimeout(0), grpc.WithDisableServiceConfig())
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
				return fmt.Errorf("reading the catalog at %s was stopped: %w", c.address, err)
			}
			return &TimeoutError{Address: c.address, Connecting: true, After: c.opts.ConnectTimeout, Err: c.why()}
		}
	}
}

// why asks the connection what is wrong with it.
func (c *client) why() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := c.conn.Invoke(ctx, methodGetPackage, &api.GetPackageRequest{}, &api.Package{})
	if s := status.Convert(err); s.Code() == codes.Unavailable {
		return errors.New(s.Message())
	}
	return nil
}

// close ends the connection.
func (c *client) close() {
	c.idle.Stop()
	c.cancel(nil)
	_ = c.conn.Close()
}

// came counts a message that came.
func (c *client) came(m proto.Message) error {
	c.idle.Reset(c.opts.IdleTimeout)
	if c.left -= int64(proto.Size(m) + held*itemsOf(m)); c.left < 0 {
		return &LimitError{Address: c.address, Limit: "MaxBytes", Max: c.opts.MaxBytes}
	}
	return nil
}

// held is what a message, or an item of it, takes in memory beside its texts, in bytes.
const held = 128

// itemsOf counts a message and what it repeats.
func itemsOf(m proto.Message) int {
	switch m := m.(type) {
	case *api.Bundle:
		return 4 + len(m.Skips) + len(m.Properties) + len(m.Dependencies)
	case *api.Package:
		return 4 + len(m.Channels)
	}
	return 1
}

// codec decodes messages that have at most [MaxItems] fields: an empty one takes two bytes
// and some fifty times as many in memory.
type codec struct{}

// Name implements encoding.Codec.
func (codec) Name() string { return "proto" }

// Marshal implements encoding.Codec.
func (codec) Marshal(v any) ([]byte, error) { return proto.Marshal(v.(proto.Message)) }

// Unmarshal implements encoding.Codec.
func (codec) Unmarshal(data []byte, v any) error {
	for n, left := 0, data; len(left) > 0; n++ {
		_, _, size := protowire.ConsumeField(left)
		switch {
		case size < 0:
			return protowire.ParseError(size)
		case n == MaxItems:
			return fmt.Errorf("the message has more than %d fields", MaxItems)
		}
		left = left[size:]
	}
	return proto.Unmarshal(data, v.(proto.Message))
}

// failed makes an error of what a call returned.
func (c *client) failed(asked string, err error) error {
	if cause := context.Cause(c.ctx); cause == errIdle {
		return &TimeoutError{Address: c.address, After: c.opts.IdleTimeout}
	} else if cause != nil {
		return fmt.Errorf("reading the catalog at %s was stopped: %w", c.address, cause)
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
		if err = stream.SendMsg(&api.ListBundlesRequest{}); err == nil {
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
		err := c.came(b)
		if err == nil {
			err = fn(b)
		}
		if err != nil {
			return err
		}
	}
}

// pkg asks for a package.
func (c *client) pkg(name string, fn func(*api.Package)) error {
	p := &api.Package{}
	if err := c.conn.Invoke(c.ctx, methodGetPackage, &api.GetPackageRequest{Name: name}, p); err != nil {
		return c.failed("the package "+name, err)
	}
	if p.Name != name {
		return &StatusError{Address: c.address, Asked: "the package " + name, Code: codes.Internal, Message: "it sent another, " + p.Name}
	}
	fn(p)
	return c.came(p)
}

// details asks for each bundle by itself, for its ClusterServiceVersion.
func (c *client) details(b *blobs) error {
	for _, key := range b.bundleKeys() {
		from := b.bundles[key]
		if from.CsvJson != "" {
			continue
		}
		one := &api.Bundle{}
		ask := &api.GetBundleRequest{PackageName: from.PackageName, ChannelName: from.ChannelName, CsvName: from.CsvName}
		if err := c.conn.Invoke(c.ctx, methodGetBundle, ask, one); err != nil {
			return c.failed("the bundle "+from.CsvName, err)
		}
		if err := c.came(one); err != nil {
			return err
		}
		from.CsvJson = one.CsvJson
	}
	return nil
}
