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
	*loading
	files func(ctx context.Context, name string) (io.ReadCloser, error)
}

func (p *local) close() {}

// fail returns the error of a directory or archive that is not as it should be.
func (p *local) fail(format string, args ...any) error {
	return p.content("", "", nil, format, args...)
}

// file opens a file.
func (p *local) file(name, what string) (io.ReadCloser, error) {
	r, err := p.files(p.ctx, name)
	if err != nil {
		return nil, p.failed(what, err)
	}
	return &localFile{r, p, what}, nil
}

// localFile is a file whose errors are those that the package describes.
type localFile struct {
	io.ReadCloser
	place *local
	what  string
}

func (f *localFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = f.place.failed(f.what, err)
	}
	return n, err
}

func (p *local) failed(what string, err error) error {
	var limit *cache.LimitError
	switch {
	case p.ctx.Err() != nil:
		return p.ctx.Err()
	case errors.As(err, &limit) && limit.Limit == "MaxUnpackedBytes":
		return &cache.LimitError{Source: source(p.ref), Limit: limit.Limit, Max: limit.Max, What: "bytes to decompress, for each of its files is looked for from the beginning", Advice: "decompress the archive, and read that"}
	case errors.As(err, &limit):
		return p.tooLarge(limit.Limit, limit.Max, "")
	}
	return p.content("", "", err, "its %s: %v", what, err)
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
		return p.fail("its %s is not that of %s: %v", name, form, err)
	}
	return nil
}

// layoutPlace is an OCI image layout.
type layoutPlace struct{ *local }

// Annotations by which a layout names an image.
const (
	annotationName       = "org.opencontainers.image.ref.name"
	annotationContainerd = "io.containerd.image.name"
)

func (p layoutPlace) resolve() (at ocispec.Descriptor, _ *manifestForm, err error) {
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
		return at, nil, p.which(len(found), names)
	}
	if at.Digest.Validate() != nil {
		return at, nil, p.fail("its index.json names an image without a digest: copy the image again")
	}
	return at, nil, nil
}

func (p layoutPlace) open(d ocispec.Descriptor, what string) (io.ReadCloser, error) {
	return p.file("blobs/"+strings.Replace(d.Digest.String(), ":", "/", 1), what)
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

// dockerPlace is an archive of docker save.
type dockerPlace struct{ *local }

// dockerImage is an image in the manifest.json of an archive.
type dockerImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// resolve implements place: the digest is that of the configuration, which
// names those of the layers.
func (p dockerPlace) resolve() (at ocispec.Descriptor, m *manifestForm, err error) {
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
		return at, nil, p.which(len(found), names)
	}
	// What describes a file names it in the first of the URLs.
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

func (p dockerPlace) open(d ocispec.Descriptor, what string) (io.ReadCloser, error) {
	return p.file(d.URLs[0], what)
}

// hasTag reports whether an image has a tag, however it is written.
func (i dockerImage) hasTag(name string) bool {
	want, err := Parse(registryPrefix + name)
	return slices.ContainsFunc(i.RepoTags, func(tag string) bool {
		got, bad := Parse(registryPrefix + tag)
		return tag == name || err == nil && bad == nil && got == want
	})
}
