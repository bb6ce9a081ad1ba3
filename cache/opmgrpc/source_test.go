package opmgrpc_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/opmgrpc"
	"github.com/seed109e2655/resolute/cache/opmgrpc/internal/api"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// double is a fake server for what opm cannot do on request: deprecations, which only newer
// versions send, and faults. opm_test.go tests the real one.
type double struct {
	bundles []*api.Bundle
	pkg     func(name string) (*api.Package, error)
	list    func(grpc.ServerStream) error // replaces sending the bundles
	details func(name string) (*api.Bundle, error)
}

func (d *double) sendBundles(_ any, stream grpc.ServerStream) error {
	if err := stream.RecvMsg(&api.Request{}); err != nil {
		return err
	}
	if d.list != nil {
		return d.list(stream)
	}
	for _, b := range d.bundles {
		if err := stream.SendMsg(b); err != nil {
			return err
		}
	}
	return nil
}

func (d *double) getPackage(decode func(any) error) (any, error) {
	req := api.Request{}
	if err := decode(&req); err != nil || len(req) != 1 {
		return nil, cmp.Or(err, errors.New("GetPackage takes a name"))
	}
	if d.pkg == nil {
		return &api.Package{Name: req[0], DefaultChannelName: "c"}, nil
	}
	return d.pkg(req[0])
}

// start serves the fake and returns its address.
func (d *double) start(t *testing.T) string {
	address, stop, err := d.listen()
	require.NoError(t, err)
	t.Cleanup(stop)
	return address
}

// listen is start without a test.
func (d *double) listen() (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := grpc.NewServer(grpc.ForceServerCodec(wire{}))
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "api.Registry", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "GetPackage", Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) { //revive:disable-line:context-as-argument
			return d.getPackage(decode)
		}}, {MethodName: "GetBundle", Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) { //revive:disable-line:context-as-argument
			req := api.Request{}
			if err := decode(&req); err != nil || len(req) != 3 {
				return nil, cmp.Or(err, errors.New("GetBundle takes a package, a channel and a name"))
			}
			return d.details(req[2])
		}}},
		Streams: []grpc.StreamDesc{{StreamName: "ListBundles", Handler: d.sendBundles, ServerStreams: true}},
	}, d)
	go func() { _ = s.Serve(l) }()
	return l.Addr().String(), s.Stop, nil
}

// load loads a catalog.
func load(ctx context.Context, t *testing.T, address string, opts opmgrpc.Options) error {
	source := testkit.Must(opmgrpc.New(address, opts))(t)
	_, err := source.Load(ctx, nil)
	return err
}

func bundle(pkg, channel, name string) *api.Bundle {
	return &api.Bundle{PackageName: pkg, ChannelName: channel, CsvName: name, Version: "1.0.0", BundlePath: "i"}
}

// Fields other than properties are converted to properties.
func TestOldCatalog(t *testing.T) {
	b := bundle("a", "c", "a.v1")
	b.Dependencies = []*api.Typed{
		{Type: "olm.gvk", Value: `{"group":"g.example","version":"v1","kind":"K"}`},
		{Type: "olm.package", Value: `{"packageName":"b","version":">=1.0.0"}`},
		{Type: "olm.label", Value: `{"label":"l"}`},
	}
	b.CsvJson = `{"spec":{"installModes":[{"type":"OwnNamespace","supported":true}],"minKubeVersion":"1.20.0"}}`
	b.Deprecation = &api.Deprecation{Message: "old"}
	again := bundle("a", "d", "a.v1")
	again.Deprecation = b.Deprecation
	again.Replaces, again.Skips, again.SkipRange = "a.v0", []string{"a.v0-1"}, "<1.0.0"
	d := &double{bundles: []*api.Bundle{again, b}, pkg: func(name string) (*api.Package, error) {
		return &api.Package{Name: name, DefaultChannelName: "c", Deprecation: &api.Deprecation{Message: "all of it"},
			Channels: []*api.Channel{{Name: "c"}, {Name: "d", Deprecation: &api.Deprecation{Message: "use c"}}}}, nil
	}}
	c := fetched(t, d.start(t), opmgrpc.Options{})
	p := c.Package("a")
	require.Equal(t, "all of it", p.Deprecation)
	require.Empty(t, p.Channel("c").Deprecation)
	require.Equal(t, "use c", p.Channel("d").Deprecation)
	found := p.Bundle("a.v1")
	require.Equal(t, "old", found.Deprecation)
	require.Equal(t, "1.0.0", found.Version.String())
	require.Len(t, found.Constraints, 3)
	require.True(t, found.Properties.HasType("olm.label.required"))
	entry := p.Channel("d").Entries[0]
	require.Equal(t, "a.v0", entry.Replaces)
	require.Equal(t, []string{"a.v0-1"}, entry.Skips())
	require.Equal(t, "<1.0.0", entry.SkipRange().String())
}

// The order of the received bundles does not matter.
func TestOrder(t *testing.T) {
	digest := func(bundles ...*api.Bundle) string {
		source := testkit.Must(opmgrpc.New((&double{bundles: bundles}).start(t), opmgrpc.Options{}))(t)
		content := testkit.Must(source.Load(t.Context(), nil))(t)
		return fmt.Sprint(described(t, content.Catalog, true))
	}
	x, y, z := bundle("a", "c", "a.v1"), bundle("a", "d", "a.v1"), bundle("b", "c", "b.v1")
	require.Equal(t, digest(x, y, z), digest(z, y, x))
}

// TestTwoContents: a bundle received with two contents is a problem of that bundle, in either
// order. Receiving the same content twice is none. Two different entries in a channel are a
// problem of the channel.
func TestTwoContents(t *testing.T) {
	load := func(bundles ...*api.Bundle) (string, []graph.Problem) {
		source := testkit.Must(opmgrpc.New((&double{bundles: bundles}).start(t), opmgrpc.Options{}))(t)
		content := testkit.Must(source.Load(t.Context(), nil))(t)
		var says strings.Builder
		p := content.Catalog.Package("a")
		for _, b := range p.Bundles {
			fmt.Fprintln(&says, b.Name, b.Image, b.Version)
		}
		for _, c := range p.Channels {
			for _, e := range c.Entries {
				fmt.Fprintln(&says, c.Name, e.Name, e.Replaces, e.Skips())
			}
		}
		for _, p := range content.Catalog.Problems() {
			fmt.Fprintln(&says, p.Code, p.Line, p.Channel, p.Bundle)
		}
		return says.String(), content.Catalog.Problems()
	}
	first, other := bundle("a", "c", "a.v1"), bundle("a", "c", "a.v1")
	_, problems := load(first, other, bundle("a", "d", "a.v1"))
	require.Empty(t, problems)
	for name, change := range map[string]func(*api.Bundle){
		"same channel, other image":      func(b *api.Bundle) { b.BundlePath = "evil" },
		"same channel, other properties": func(b *api.Bundle) { b.Properties = []*api.Typed{{Type: "x", Value: "1"}} },
		"other channel":                  func(b *api.Bundle) { b.ChannelName, b.BundlePath = "b", "evil" },
		"other version":                  func(b *api.Bundle) { b.Version = "2.0.0" },
	} {
		t.Run(name, func(t *testing.T) {
			other := bundle("a", "c", "a.v1")
			change(other)
			one, problems := load(first, other)
			two, _ := load(other, first)
			require.Equal(t, one, two)
			require.NotEmpty(t, problems)
			require.Equal(t, graph.Code("bundleDuplicate"), problems[0].Code)
			require.Equal(t, "a.v1", problems[0].Bundle)
		})
	}
	t.Run("entries", func(t *testing.T) {
		first, other := bundle("a", "c", "a.v1"), bundle("a", "c", "a.v1")
		first.Replaces, other.Replaces, other.Skips = "a.v0", "a.v0", []string{"a.v0-1"}
		one, problems := load(first, other)
		two, _ := load(other, first)
		require.Equal(t, one, two)
		require.NotEmpty(t, problems)
	})
}

// items returns a bundle with n empty properties.
func items(n int) *api.Bundle {
	b := bundle("a", "c", "a.v1")
	for range n {
		b.Properties = append(b.Properties, &api.Typed{})
	}
	return b
}

func TestFaults(t *testing.T) {
	silent := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { silent.Close() })
	one := []*api.Bundle{bundle("a", "c", "a.v1")}
	big := bundle("a", "c", "a.v1")
	big.Properties = []*api.Typed{{Type: "x", Value: `"` + strings.Repeat("y", 10_000) + `"`}}
	hangs := &double{list: func(s grpc.ServerStream) error { <-s.Context().Done(); return nil }}
	tests := []struct {
		name, address, says string
		opts                opmgrpc.Options
		as                  any
	}{
		{"no listener", testkit.FreeAddress(t), "waiting for a connection", opmgrpc.Options{ConnectTimeout: 50 * time.Millisecond}, new(*cache.TimeoutError)},
		{"no response", silent.Addr().String(), "waiting for a connection", opmgrpc.Options{ConnectTimeout: 50 * time.Millisecond}, new(*cache.TimeoutError)},
		{"hangs", hangs.start(t), "waiting for more content", opmgrpc.Options{IdleTimeout: 50 * time.Millisecond}, new(*cache.TimeoutError)},
		{"refuses", (&double{list: func(grpc.ServerStream) error { return status.Error(codes.Internal, "broken\x1b[31m") }}).start(t), "broken", opmgrpc.Options{}, new(interface{ GRPCStatus() *status.Status })},
		{"another service", (&double{list: func(grpc.ServerStream) error { return status.Error(codes.Unimplemented, "unknown service") }}).start(t), "does not implement the catalog service", opmgrpc.Options{}, new(interface{ GRPCStatus() *status.Status })},
		{"no package", (&double{bundles: one, pkg: func(string) (*api.Package, error) { return nil, status.Error(codes.NotFound, "no such") }}).start(t), "the package a", opmgrpc.Options{}, new(interface{ GRPCStatus() *status.Status })},
		{"another package", (&double{bundles: one, pkg: func(string) (*api.Package, error) { return &api.Package{Name: "b"}, nil }}).start(t), "sent the package b", opmgrpc.Options{}, new(interface{ GRPCStatus() *status.Status })},
		{"breaks off", (&double{list: func(s grpc.ServerStream) error {
			if err := s.SendMsg(one[0]); err != nil {
				return err
			}
			return status.Error(codes.Unavailable, "going away")
		}}).start(t), "going away", opmgrpc.Options{}, new(interface{ GRPCStatus() *status.Status })},
		{"large message", (&double{bundles: []*api.Bundle{big}}).start(t), "MaxMessageBytes", opmgrpc.Options{MaxMessageBytes: 1000}, new(*cache.LimitError)},
		{"too many bytes in total", (&double{list: func(s grpc.ServerStream) error {
			for i := 0; ; i++ {
				if err := s.SendMsg(bundle("a", "c", fmt.Sprint("a.v", i))); err != nil {
					return err
				}
			}
		}}).start(t), "MaxBytes", opmgrpc.Options{MaxBytes: 1 << 20}, new(*cache.LimitError)},
		{"many empty items", (&double{bundles: []*api.Bundle{items(opmgrpc.MaxItems)}}).start(t), "more than 524288 fields", opmgrpc.Options{}, new(interface{ GRPCStatus() *status.Status })},
		{"too many items in total", (&double{list: func(s grpc.ServerStream) error {
			for i := range 4 {
				b := items(10_000) // 20 KB each
				b.CsvName = fmt.Sprint("a.v", i)
				if err := s.SendMsg(b); err != nil {
					return err
				}
			}
			return nil
		}}).start(t), "MaxBytes", opmgrpc.Options{MaxBytes: 1 << 20}, new(*cache.LimitError)},
		{"nothing", (&double{}).start(t), "empty", opmgrpc.Options{}, nil},
		{"bundle without a name", (&double{bundles: []*api.Bundle{bundle("a", "c", "")}}).start(t), "without a name", opmgrpc.Options{}, nil},
		{"broken property", (&double{bundles: []*api.Bundle{{PackageName: "a", ChannelName: "c", CsvName: "a.v1", Properties: []*api.Typed{{Type: "x", Value: "{"}}}}}).start(t), "not JSON", opmgrpc.Options{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := load(t.Context(), t, tt.address, tt.opts)
			require.ErrorContains(t, err, tt.says)
			require.ErrorContains(t, err, tt.address)
			if tt.as != nil {
				require.True(t, errors.As(err, tt.as), "%T", err)
			}
			require.NotContains(t, err.Error(), "\x1b")
		})
	}
	for _, bad := range []string{"", "a b", "\n"} {
		_, err := opmgrpc.New(bad, opmgrpc.Options{})
		require.Error(t, err)
	}
}

// A canceled context stops each phase immediately.
func TestCancel(t *testing.T) {
	silent := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { silent.Close() })
	hangs := &double{list: func(s grpc.ServerStream) error { <-s.Context().Done(); return nil }}
	for _, address := range []string{silent.Addr().String(), hangs.start(t)} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		require.ErrorIs(t, load(ctx, t, address, opmgrpc.Options{}), context.Canceled)
	}
	// Also while the reason of a failed connection is requested.
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err := load(ctx, t, silent.Addr().String(), opmgrpc.Options{ConnectTimeout: 50 * time.Millisecond})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestDetails: each bundle without its ClusterServiceVersion is requested separately.
func TestDetails(t *testing.T) {
	whole := bundle("a", "c", "a.v2")
	whole.CsvJson = `{"kind":"ClusterServiceVersion","spec":{"minKubeVersion":"1.20.0"}}`
	d := &double{bundles: []*api.Bundle{bundle("a", "c", "a.v1"), whole}}
	requested := []string{}
	d.details = func(name string) (*api.Bundle, error) {
		requested = append(requested, name)
		b := bundle("a", "c", name)
		b.CsvJson = `{"kind":"ClusterServiceVersion","spec":{"minKubeVersion":"1.30.0"}}`
		return b, nil
	}
	unlimited := opmgrpc.Options{Details: true, MaxBytes: -1, MaxMessageBytes: -1, ConnectTimeout: -1, IdleTimeout: -1}
	source := testkit.Must(opmgrpc.New(d.start(t), unlimited))(t)
	c := testkit.Must(source.Load(t.Context(), nil))(t)
	require.Equal(t, []string{"a.v1"}, requested)
	for name, want := range map[string]string{"a.v1": "1.30.0", "a.v2": "1.20.0"} {
		require.Equal(t, want, c.Catalog.Package("a").Bundle(name).Compatibility.MinKubeVersion.Text)
	}

	d = &double{bundles: []*api.Bundle{bundle("a", "c", "a.v1")}, details: func(string) (*api.Bundle, error) { return nil, status.Error(codes.NotFound, "gone") }}
	err := load(t.Context(), t, d.start(t), opmgrpc.Options{Details: true})
	require.ErrorContains(t, err, "the bundle a.v1")
	require.Equal(t, codes.NotFound, status.Code(err))
	d.details = func(string) (*api.Bundle, error) { return whole, nil }
	require.ErrorAs(t, load(t.Context(), t, d.start(t), opmgrpc.Options{Details: true, MaxBytes: 100}), new(*cache.LimitError))
}

// TestBrokenTLS: a server without TLS or with an untrusted certificate is an error that
// describes the TLS problem.
func TestBrokenTLS(t *testing.T) {
	for name, address := range map[string]string{"plain": (&double{}).start(t), "not trusted": func() string {
		s := httptest.NewUnstartedServer(nil)
		s.EnableHTTP2 = true
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}()} {
		err := load(t.Context(), t, address, opmgrpc.Options{TLS: &tls.Config{}, ConnectTimeout: time.Second})
		var late *cache.TimeoutError
		require.ErrorAs(t, err, &late, name)
		require.ErrorContains(t, err, address)
	}
}
