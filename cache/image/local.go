package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/seed109e2655/resolute/cache"
)

// local is a directory or an archive.
type local struct {
	*loader
	files func(ctx context.Context, name string) (io.ReadCloser, error)
}

func (p *local) close() {}

// fail returns the error of an invalid directory or archive.
func (p *local) fail(format string, args ...any) error {
	return p.contentError("", "", nil, format, args...)
}

// file opens a file.
func (p *local) file(name, what string) (io.ReadCloser, error) {
	r, err := p.files(p.ctx, name)
	if err != nil {
		return nil, p.failed(what, err)
	}
	return &localFile{r, p, what}, nil
}

// localFile is a file that returns only documented errors.
type localFile struct {
	io.ReadCloser
	backend *local
	what    string
}

func (f *localFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = f.backend.failed(f.what, err)
	}
	return n, err
}

func (p *local) failed(what string, err error) error {
	var limit *cache.LimitError
	switch {
	case p.ctx.Err() != nil:
		return p.ctx.Err()
	case errors.As(err, &limit) && limit.Limit == "MaxUnpackedBytes":
		return &cache.LimitError{Source: source(p.ref), Limit: limit.Limit, Max: limit.Max, What: "bytes to decompress, because each file is searched from the beginning", Advice: "decompress the archive and read the result"}
	case errors.As(err, &limit):
		return p.limitExceeded(limit.Limit, limit.Max, "")
	}
	return p.contentError("", "", err, "its %s: %v", what, err)
}

// decode decodes a file that lists images.
func (p *local) decode(name, form string, into any) error {
	r, err := p.file(name, name)
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := p.document(r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return p.fail("its %s is not valid for %s: %v", name, form, err)
	}
	return nil
}

// layoutBackend is an OCI image layout.
type layoutBackend struct{ *local }

// Annotations that name an image in a layout.
const (
	annotationName       = "org.opencontainers.image.ref.name"
	annotationContainerd = "io.containerd.image.name"
)

func (p layoutBackend) resolve() (at ocispec.Descriptor, _ *manifestForm, err error) {
	var index manifestForm
	if err := p.decode("index.json", "an OCI image layout", &index); err != nil {
		return at, nil, err
	}
	var names []string
	found := map[digest.Digest]bool{}
	for _, m := range index.Manifests {
		name := m.Annotations[annotationName]
		names = append(names, name)
		if p.image.Digest == m.Digest.String() || p.image.Digest == "" && slices.Contains([]string{"", name, m.Annotations[annotationContainerd]}, p.image.Name) {
			at, found[m.Digest] = m, true
		}
	}
	if len(found) != 1 {
		return at, nil, p.ambiguous(len(found), names)
	}
	if at.Digest.Validate() != nil {
		return at, nil, p.fail("its index.json lists an image without a digest: copy the image again")
	}
	return at, nil, nil
}

func (p layoutBackend) open(d ocispec.Descriptor, what string) (io.ReadCloser, error) {
	return p.file("blobs/"+strings.Replace(d.Digest.String(), ":", "/", 1), what)
}

// ambiguous returns the error of a reference that matches no image or several, with the
// available names.
func (p *local) ambiguous(found int, names []string) error {
	var known []string
	for _, n := range names {
		if n != "" && len(known) < 10 {
			known = append(known, n)
		}
	}
	there := fmt.Sprintf("there are %d images", len(names))
	if len(known) > 0 {
		there += ": " + strings.Join(known, ", ")
	}
	if found == 0 {
		return p.fail("it does not contain this image: %s", there)
	}
	return p.fail("the reference is ambiguous: %s; append :NAME or @DIGEST", there)
}

// dockerBackend is an archive of docker save.
type dockerBackend struct{ *local }

// dockerImage is an image in an archive's manifest.json.
type dockerImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// resolve implements backend. The digest is that of the configuration, which contains the
// digests of the layers.
func (p dockerBackend) resolve() (at ocispec.Descriptor, m *manifestForm, err error) {
	var all, found []dockerImage
	if err := p.decode("manifest.json", "docker save", &all); err != nil {
		return at, nil, err
	}
	var names []string
	for _, img := range all {
		names = append(names, img.RepoTags...)
		if p.image.Name == "" || img.hasTag(p.image.Name) {
			found = append(found, img)
		}
	}
	if len(found) != 1 {
		return at, nil, p.ambiguous(len(found), names)
	}
	// The descriptor stores the name of a file as its first URL.
	at.URLs = []string{found[0].Config}
	r, err := p.open(at, found[0].Config)
	if err != nil {
		return at, nil, err
	}
	defer r.Close()
	config, err := p.document(r)
	if err != nil {
		return at, nil, err
	}
	at.Digest = digest.FromBytes(config)
	m = &manifestForm{Config: &at}
	for _, name := range found[0].Layers {
		m.Layers = append(m.Layers, ocispec.Descriptor{URLs: []string{name}, Size: -1})
	}
	return at, m, nil
}

func (p dockerBackend) open(d ocispec.Descriptor, what string) (io.ReadCloser, error) {
	return p.file(d.URLs[0], what)
}

// hasTag reports whether an image has a tag, in any equivalent spelling.
func (i dockerImage) hasTag(name string) bool {
	want, err := Parse(registryPrefix + name)
	return slices.ContainsFunc(i.RepoTags, func(tag string) bool {
		got, bad := Parse(registryPrefix + tag)
		return tag == name || err == nil && bad == nil && got == want
	})
}
