package image

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/image/internal/dockerconfig"
)

// place is where an image is looked for.
type place interface {
	// resolve returns the digest that the reference stands for now.
	resolve(ctx context.Context) (v1.Hash, error)
	// image describes the image of the digest that resolve returned.
	image(ctx context.Context, digest v1.Hash) (*remoteImage, error)
	// close ends what was begun.
	close()
}

// registry is a repository of a registry, where an image is looked for. One goroutine
// uses it, with one credential at a time.
type registry struct {
	ref              Reference
	repository, path string
	opts             *Options
	net              *network
	client           *client
}

// hubHost is where the registry of docker.io is.
const hubHost = "index.docker.io"

// newRegistry returns a repository of a registry.
func newRegistry(ref Reference, repository string, opts *Options) *registry {
	host, path, _ := strings.Cut(repository, "/")
	if host == dockerconfig.Hub {
		host = hubHost
	}
	return &registry{ref: ref, repository: repository, path: path, opts: opts, net: newNetwork(ref.String(), host, opts)}
}

func (p *registry) close() { p.net.close() }

// maxCredentials bounds how many credentials are tried for an image.
const maxCredentials = 20

// resolve implements place: it asks for the digest with each credential until
// one may read the image.
func (p *registry) resolve(ctx context.Context) (digest v1.Hash, err error) {
	known, err := p.opts.Keychain.Credentials(ctx, p.repository)
	if err != nil {
		return digest, err
	}
	if len(known) == 0 {
		known = []Credential{{}}
	}
	var sources []string
	for _, c := range known[:min(len(known), maxCredentials)] {
		if c.Source != "" && !slices.Contains(sources, c.Source) {
			sources = append(slices.Clone(sources), c.Source)
		}
		p.client = newClient(p.net, p.path, c, sources)
		digest, err = p.head(ctx)
		var status *cache.StatusError
		if !errors.As(err, &status) || status.Code != http.StatusUnauthorized && status.Code != http.StatusForbidden {
			break
		}
	}
	return digest, err
}

// head asks for the digest of the manifest.
func (p *registry) head(ctx context.Context) (digest v1.Hash, err error) {
	q := p.manifestQuestion(cmp.Or(p.ref.Digest, p.ref.Name))
	q.method = http.MethodHead
	resp, err := p.client.ask(ctx, q)
	var status *cache.StatusError
	switch {
	case err == nil:
		defer resp.Body.Close()
		if h, err := v1.NewHash(resp.Header.Get("Docker-Content-Digest")); err == nil {
			return p.checked(h)
		}
	case !errors.As(err, &status) || !slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, status.Code):
		return digest, err
	}
	// A registry that does not answer HEAD, or without a digest; and an error
	// of GET says more.
	q.method = http.MethodGet
	resp, err = p.client.ask(ctx, q)
	if err != nil {
		return digest, err
	}
	defer resp.Body.Close()
	data, err := p.body(ctx, resp, q.what)
	if err != nil {
		return digest, err
	}
	return p.checked(digestOf(p.ref.Digest, data))
}

// checked returns a digest, unless another was asked for.
func (p *registry) checked(digest v1.Hash) (v1.Hash, error) {
	if p.ref.Digest != "" && digest.String() != p.ref.Digest {
		return digest, wrongDigest(p.net.ref, "manifest", p.ref.Digest, digest.String())
	}
	return digest, nil
}

func (p *registry) manifestQuestion(identifier string) question {
	return question{method: http.MethodGet, path: p.path + "/manifests/" + identifier, what: "manifest", accept: manifestTypes}
}

func (p *registry) image(ctx context.Context, digest v1.Hash) (*remoteImage, error) {
	d := &describer{ref: p.net.ref, limits: p.opts.Limits, from: p}
	return d.describe(ctx, v1.Descriptor{Digest: digest, MediaType: types.OCIManifestSchema1})
}

func (p *registry) document(ctx context.Context, d v1.Descriptor, what string) ([]byte, error) {
	q := question{method: http.MethodGet, path: p.path + "/blobs/" + d.Digest.String(), what: what}
	if what == "manifest" {
		q = p.manifestQuestion(d.Digest.String())
	}
	resp, err := p.client.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return p.body(ctx, resp, what)
}

// body reads the body of an answer that is a document.
func (p *registry) body(ctx context.Context, resp *http.Response, what string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(resp.Body, p.opts.Limits.MaxManifestBytes+1))
	if err != nil {
		return nil, p.cut(ctx, what, int64(len(data)), resp.ContentLength, err)
	}
	return data, p.opts.Limits.decodable(p.net.ref, data)
}

// cut returns the error of an answer that ended too early.
func (p *registry) cut(ctx context.Context, what string, came, want int64, err error) error {
	var timeout *cache.TimeoutError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &timeout):
		return timeout
	}
	known := cause(err)
	if known == nil {
		known = errors.New(p.client.redact(err.Error()))
	}
	return notWhole(p.net.ref, what, came, want, known)
}

func (p *registry) blob(ctx context.Context, d v1.Descriptor, what string) (io.ReadCloser, error) {
	b := &remoteBlob{ctx: ctx, place: p, want: d.Size, retries: p.opts.Retries,
		question: question{method: http.MethodGet, path: p.path + "/blobs/" + d.Digest.String(), what: what}}
	if err := b.open(); err != nil {
		return nil, err
	}
	if n := b.resp.ContentLength; n >= 0 && n != d.Size {
		b.Close()
		return nil, notWhole(p.net.ref, what, n, d.Size, nil)
	}
	return b, nil
}

// remoteBlob is a blob while it is read. If it is cut off, it is continued
// where it ended.
type remoteBlob struct {
	ctx      context.Context
	place    *registry
	question question
	resp     *http.Response
	want     int64
	came     int64
	retries  int
}

// open asks for what has not come yet.
func (b *remoteBlob) open() error {
	b.question.from = b.came
	resp, err := b.place.client.ask(b.ctx, b.question)
	if err != nil {
		return err
	}
	begins := fmt.Sprintf("bytes %d-", b.came)
	if b.came > 0 && !strings.HasPrefix(resp.Header.Get("Content-Range"), begins) {
		resp.Body.Close()
		return errors.New("it does not continue where it ended")
	}
	b.resp = resp
	return nil
}

func (b *remoteBlob) Read(p []byte) (int, error) {
	n, err := b.resp.Body.Read(p)
	b.came += int64(n)
	if err == nil || err == io.EOF && b.came >= b.want {
		return n, err
	}
	if b.ctx.Err() == nil && !errors.As(err, new(*cache.TimeoutError)) && b.came < b.want && b.retries > 0 {
		b.retries--
		b.resp.Body.Close()
		if again := b.open(); again == nil {
			return n, nil
		}
		b.retries = 0
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, b.place.cut(b.ctx, b.question.what, b.came, b.want, err)
}

func (b *remoteBlob) Close() error { return b.resp.Body.Close() }
