package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/seed109e2655/resolute/cache/image/internal/store"
)

// local is a directory or an archive.
type local struct {
	ref    Reference
	limits Limits
	files  store.Opener
}

func (p *local) close() {}

// fail returns the error of a directory or archive that is not as it should be.
func (p *local) fail(format string, args ...any) error {
	return &ContentError{Reference: p.ref.String(), Reason: fmt.Sprintf(format, args...)}
}

func (p *local) open(ctx context.Context, name, what string) (io.ReadCloser, error) {
	r, err := p.files.Open(ctx, name)
	if err != nil {
		return nil, fileError(ctx, p.ref.String(), what, err)
	}
	return r, nil
}

// read reads a file of the size of a manifest.
func (p *local) read(ctx context.Context, name, what string) ([]byte, error) {
	r, err := p.open(ctx, name, what)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, p.limits.MaxManifestBytes+1))
	if err != nil {
		return nil, fileError(ctx, p.ref.String(), what, err)
	}
	return data, p.limits.decodable(p.ref.String(), data)
}

type layoutPlace struct {
	local
	chosen v1.Descriptor
}

// Annotations by which a layout names an image.
const (
	annotationName       = "org.opencontainers.image.ref.name"
	annotationContainerd = "io.containerd.image.name"
)

func (p *layoutPlace) resolve(ctx context.Context) (digest v1.Hash, err error) {
	data, err := p.read(ctx, "index.json", "index.json")
	if err != nil {
		return digest, err
	}
	var index struct {
		Manifests []v1.Descriptor `json:"manifests"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return digest, p.fail("its index.json is not that of an OCI image layout: %v", err)
	}
	var names []string
	var found []v1.Descriptor
	for _, m := range index.Manifests {
		name := m.Annotations[annotationName]
		names = append(names, name)
		if p.ref.Digest == m.Digest.String() || p.ref.Digest == "" &&
			(p.ref.Name == "" || p.ref.Name == name || p.ref.Name == m.Annotations[annotationContainerd]) {
			found = append(found, m)
		}
	}
	if len(found) == 0 || len(found) > 1 && p.ref.Digest == "" && found[0].Digest != found[len(found)-1].Digest {
		return digest, p.which(len(found), names)
	}
	p.chosen = found[0]
	if p.chosen.Digest == (v1.Hash{}) {
		return digest, p.fail("its index.json names an image without a digest: copy the image again")
	}
	return p.chosen.Digest, nil
}

// which says that none or several images are meant, and which there are.
func (p *local) which(found int, names []string) error {
	var known []string
	for _, n := range names {
		if n != "" && len(known) < 10 {
			known = append(known, n)
		}
	}
	there := fmt.Sprintf("there are %d in it", len(names))
	if len(known) > 0 {
		there += ", called " + strings.Join(known, ", ")
	}
	if found == 0 {
		return p.fail("there is no such image in it: %s", there)
	}
	return p.fail("it does not say which image is meant: %s; write the name behind a colon, or @ and a digest", there)
}

func (p *layoutPlace) image(ctx context.Context, _ v1.Hash) (*remoteImage, error) {
	d := &describer{ref: p.ref.String(), limits: p.limits, from: p}
	return d.describe(ctx, p.chosen)
}

func (p *layoutPlace) document(ctx context.Context, d v1.Descriptor, what string) ([]byte, error) {
	return p.read(ctx, blobPath(d), what)
}

func (p *layoutPlace) blob(ctx context.Context, d v1.Descriptor, what string) (io.ReadCloser, error) {
	return p.open(ctx, blobPath(d), what)
}

// blobPath returns where a layout has a blob.
func blobPath(d v1.Descriptor) string { return "blobs/" + d.Digest.Algorithm + "/" + d.Digest.Hex }

// fileError returns the error of a file of a directory or archive.
func fileError(ctx context.Context, ref, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var limit *store.LimitError
	if errors.As(err, &limit) {
		return tooLarge(ref, limit.Limit, limit.Max, "")
	}
	return &ContentError{Reference: ref, Reason: fmt.Sprintf("its %s: %v", what, err), Err: err}
}

// dockerPlace is an archive of docker save.
type dockerPlace struct {
	local
	chosen dockerImage
	config []byte
}

// dockerImage is an image in the manifest.json of an archive.
type dockerImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// resolve implements place: the digest is that of the configuration, which
// names those of the layers.
func (p *dockerPlace) resolve(ctx context.Context) (digest v1.Hash, err error) {
	data, err := p.read(ctx, "manifest.json", "manifest.json")
	if err != nil {
		return digest, err
	}
	var all []dockerImage
	if err := json.Unmarshal(data, &all); err != nil {
		return digest, p.fail("its manifest.json is not that of docker save: %v", err)
	}
	var names []string
	found := 0
	for _, img := range all {
		names = append(names, img.RepoTags...)
		if p.ref.Name == "" || img.hasTag(p.ref.Name) {
			if found++; found == 1 {
				p.chosen = img
			}
		}
	}
	if found != 1 {
		return digest, p.which(found, names)
	}
	if p.config, err = p.read(ctx, p.chosen.Config, p.chosen.Config); err != nil {
		return digest, err
	}
	return digestOf("", p.config), nil
}

// hasTag reports whether an image has a tag, however it is written.
func (i dockerImage) hasTag(name string) bool {
	want, err := Parse(registryPrefix + name)
	for _, tag := range i.RepoTags {
		if tag == name {
			return true
		}
		if got, bad := Parse(registryPrefix + tag); err == nil && bad == nil && got == want {
			return true
		}
	}
	return false
}

func (p *dockerPlace) image(_ context.Context, digest v1.Hash) (*remoteImage, error) {
	d := &describer{ref: p.ref.String(), limits: p.limits}
	img, config, err := d.configuration(p.config, v1.Descriptor{Digest: digest})
	if err != nil {
		return nil, err
	}
	if len(p.chosen.Layers) != len(config.RootFS.DiffIDs) {
		return nil, d.wrong("configuration", v1.Descriptor{Digest: digest}, "has %d layers, and the manifest.json %d: save the image again", len(config.RootFS.DiffIDs), len(p.chosen.Layers))
	}
	if err := d.count(len(p.chosen.Layers)); err != nil {
		return nil, err
	}
	img.digest = digest.String()
	for i, name := range p.chosen.Layers {
		img.layers = append(img.layers, layerSource{number: i + 1, size: -1, diffID: config.RootFS.DiffIDs[i].String(),
			open: func(ctx context.Context) (io.ReadCloser, error) { return p.open(ctx, name, layerName(i+1)) }})
	}
	return img, nil
}
