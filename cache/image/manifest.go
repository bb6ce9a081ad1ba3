package image

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// place is where an image is looked for.
type place interface {
	// resolve returns what the reference stands for now. The manifest is nil if it is to
	// be read.
	resolve() (ocispec.Descriptor, *manifestForm, error)
	// open opens an index or manifest, a configuration, or a layer, none of which was
	// verified yet. Errors, those of reading too, are those that the package describes.
	open(d ocispec.Descriptor, what string) (io.ReadCloser, error)
	// close ends what was begun.
	close()
}

// remoteImage is an image as a place describes it, before its layers are read.
type remoteImage struct {
	about
	caches []string // of opm, absolute
	layers []layerSource
}

// layerSource is a layer of an image as it is sent, and the digest of the tar in it.
type layerSource struct {
	ocispec.Descriptor
	diffID digest.Digest
}

// The media types that are read, of OCI and of docker. dockerZstdLayer is not in any
// specification, but tools write it.
var (
	indexTypes    = []string{ocispec.MediaTypeImageIndex, "application/vnd.docker.distribution.manifest.list.v2+json"}
	imageTypes    = []string{ocispec.MediaTypeImageManifest, "application/vnd.docker.distribution.manifest.v2+json"}
	manifestTypes = slices.Concat(indexTypes, imageTypes)
	configTypes   = []string{ocispec.MediaTypeImageConfig, "application/vnd.docker.container.image.v1+json", "application/octet-stream", ""}
	layerTypes    = []string{
		ocispec.MediaTypeImageLayer, ocispec.MediaTypeImageLayerGzip, ocispec.MediaTypeImageLayerZstd,
		"application/vnd.oci.image.layer.nondistributable.v1.tar", "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip",
		"application/vnd.docker.image.rootfs.diff.tar", "application/vnd.docker.image.rootfs.diff.tar.gzip",
		"application/vnd.docker.image.rootfs.diff.tar.zstd", "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
	}
)

// maxNesting bounds how deep an index may lie in others.
const maxNesting = 3

// manifestForm is the form of an index or a manifest.
type manifestForm struct {
	SchemaVersion int                  `json:"schemaVersion"`
	MediaType     string               `json:"mediaType"`
	Manifests     []ocispec.Descriptor `json:"manifests"`
	Config        *ocispec.Descriptor  `json:"config"`
	Layers        []ocispec.Descriptor `json:"layers"`
}

// valid returns an error for a digest that is not one. It may be missing.
func (m *manifestForm) valid() error {
	all := slices.Concat(m.Manifests, m.Layers)
	if m.Config != nil {
		all = append(all, *m.Config)
	}
	for _, d := range all {
		if err := d.Digest.Validate(); err != nil && d.Digest != "" {
			return fmt.Errorf("the digest %q: %w", d.Digest, err)
		}
	}
	return nil
}

// describe describes what a place has, whose manifest is nil if it is to be read.
func (l *loading) describe(top ocispec.Descriptor, m *manifestForm) (*remoteImage, error) {
	at := top
	for range maxNesting {
		if m == nil {
			data, err := l.read(at, "manifest")
			if err == nil {
				m, err = l.parse(data, at)
			}
			if err != nil {
				return nil, err
			}
		}
		if m.Config != nil {
			return l.manifest(m, at)
		}
		var err error
		if at, err = l.choose(m, at); err != nil {
			return nil, err
		}
		m = nil
	}
	return nil, l.wrong("index", top, "lies in other indexes, more than %d deep: name the image by its own digest", maxNesting)
}

// wrong returns the error of a document.
func (l *loading) wrong(what string, at ocispec.Descriptor, format string, args ...any) error {
	return l.content(what, at.Digest.String(), nil, format, args...)
}

// read reads a document, and verifies it.
func (l *loading) read(at ocispec.Descriptor, what string) ([]byte, error) {
	if err := l.within("MaxManifestBytes", at.Size, l.opts.Limits.MaxManifestBytes, ""); err != nil {
		return nil, err
	}
	body, err := l.place.open(at, what)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	data, err := l.document(body)
	if err != nil {
		return nil, err
	}
	if got := at.Digest.Algorithm().FromBytes(data); got != at.Digest {
		if at.Size > 0 && at.Size != int64(len(data)) {
			return nil, l.notWhole(what, int64(len(data)), at.Size, nil)
		}
		return nil, l.wrongDigest(what, at.Digest, got)
	}
	return data, nil
}

// document reads an index, manifest or configuration, and holds it against its limits,
// before it is decoded in one go that no context ends.
func (l *loading) document(from io.Reader) ([]byte, error) {
	limits := l.opts.Limits
	data, err := io.ReadAll(io.LimitReader(from, limits.MaxManifestBytes+1))
	if err == nil {
		err = l.within("MaxManifestBytes", int64(len(data)), limits.MaxManifestBytes, "")
	}
	if err == nil {
		err = l.within("MaxManifestItems", countItems(data), limits.MaxManifestItems, "")
	}
	return data, err
}

// countItems counts the lists and objects of a JSON text, and the commas between what
// they hold.
func countItems(data []byte) (n int64) {
	inText := false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case !inText && (c == '{' || c == '[' || c == ','):
			n++
		}
	}
	return n
}

// parse parses an index or manifest, and refuses what cannot be read.
func (l *loading) parse(data []byte, at ocispec.Descriptor) (*manifestForm, error) {
	m := &manifestForm{}
	err := json.Unmarshal(data, m)
	if err == nil {
		err = m.valid()
	}
	if err != nil {
		return nil, l.wrong("manifest", at, "is invalid: %v; tell whoever runs the registry", err)
	}
	isIndex, t := m.Manifests != nil, m.MediaType
	switch {
	case m.SchemaVersion == 1:
		return nil, l.wrong("manifest", at, "has the old schema 1 of docker, which is not read: push the image again with a current tool")
	case isIndex == (m.Config != nil):
		return nil, l.wrong("manifest", at, "is neither an image nor an index: see whether the reference is that of a container image")
	case !isIndex && m.Config.Digest == "":
		return nil, l.wrong("manifest", at, "names no configuration: see whether the reference is that of a container image")
	case t != "" && !slices.Contains(manifestTypes, t):
		return nil, l.artifact(t)
	case t != "" && slices.Contains(indexTypes, t) != isIndex:
		return nil, l.wrong("manifest", at, "says that it is of the type %s, and is not: tell whoever built it", t)
	}
	for i, layer := range m.Layers {
		switch {
		case layer.Digest == "":
			return nil, l.wrong("manifest", at, "has no digest for layer %d: build the image again", i+1)
		case layer.Size < 0:
			return nil, l.wrong("manifest", at, "has a negative size for layer %d: build the image again", i+1)
		case !slices.Contains(layerTypes, layer.MediaType):
			return nil, l.wrong("manifest", at, "has a layer %d of the type %q, which is not known: see whether the reference is that of a container image", i+1, layer.MediaType)
		}
	}
	return m, nil
}

// choose returns the image of an index that is read. A catalog is the same for
// all platforms, so it does not depend on the machine: linux/amd64, else the
// first for linux, else the first.
func (l *loading) choose(m *manifestForm, at ocispec.Descriptor) (ocispec.Descriptor, error) {
	var best ocispec.Descriptor
	rank := 0
	for _, c := range m.Manifests {
		p := ocispec.Platform{}
		if c.Platform != nil {
			p = *c.Platform
		}
		r := 1
		switch {
		case p.OS == "unknown", c.MediaType != "" && !slices.Contains(manifestTypes, c.MediaType):
			r = 0 // an attestation, or no image
		case p.OS == "linux" && p.Architecture == "amd64":
			r = 3
		case p.OS == "linux":
			r = 2
		}
		if r > rank {
			best, rank = c, r
		}
	}
	switch {
	case rank == 0:
		return at, l.wrong("index", at, "has no image in it: see whether the reference is that of a container image")
	case best.Digest == "":
		return at, l.wrong("index", at, "names an image without a digest: tell whoever built it")
	}
	return best, nil
}

type configForm struct {
	Created string `json:"created"`
	Config  struct {
		Labels     map[string]string
		Cmd        []string
		Entrypoint []string
	} `json:"config"`
	RootFS struct {
		DiffIDs []digest.Digest `json:"diff_ids"`
	} `json:"rootfs"`
}

// manifest describes the image of a manifest.
func (l *loading) manifest(m *manifestForm, at ocispec.Descriptor) (*remoteImage, error) {
	if t := m.Config.MediaType; !slices.Contains(configTypes, t) {
		return nil, l.artifact(t)
	}
	limits := l.opts.Limits
	if err := l.within("MaxLayers", int64(len(m.Layers)), limits.MaxLayers, ""); err != nil {
		return nil, err
	}
	data, err := l.read(*m.Config, "configuration")
	if err != nil {
		return nil, err
	}
	img, config := &remoteImage{}, &configForm{}
	err = json.Unmarshal(data, config)
	for _, id := range config.RootFS.DiffIDs {
		err = cmp.Or(err, id.Validate())
	}
	if err != nil {
		return nil, l.wrong("configuration", *m.Config, "is invalid: %v; build the image again", err)
	}
	labels := config.Config.Labels
	if labels[LabelConfigs] == "" {
		return nil, l.noCatalog(labels)
	}
	img.Folder = path.Clean("/" + labels[LabelConfigs])
	if at, err := time.Parse(time.RFC3339, config.Created); err == nil && at.Unix() > 0 {
		img.Created = at.UTC()
	}
	for _, args := range [][]string{config.Config.Entrypoint, config.Config.Cmd} {
		for i, arg := range args {
			if dir, ok := strings.CutPrefix(arg, cacheOption+"="); ok {
				img.caches = append(img.caches, dir)
			} else if arg == cacheOption && i+1 < len(args) {
				img.caches = append(img.caches, args[i+1])
			}
		}
	}
	diffIDs := config.RootFS.DiffIDs
	if len(m.Layers) != len(diffIDs) {
		return nil, l.wrong("manifest", at, "has %d layers, and its configuration %d: build the image again", len(m.Layers), len(diffIDs))
	}
	left := limits.MaxBytes
	for i, layer := range m.Layers {
		if left -= max(layer.Size, 0); left < 0 {
			return nil, l.tooLarge("MaxBytes", limits.MaxBytes, layerName(i+1))
		}
		img.layers = append(img.layers, layerSource{layer, diffIDs[i]})
	}
	return img, nil
}

// layerName is how errors call a layer.
func layerName(number int) string { return fmt.Sprintf("layer %d", number) }

// cacheOption is the option by which opm learns where its cache is.
const cacheOption = "--cache-dir"

// noCatalog says what an image is that names no folder.
func (l *loading) noCatalog(labels map[string]string) error {
	reason := "it is not a catalog image: it has no label " + LabelConfigs + "; name the image of a file-based catalog, or add the label when you build it"
	if value, ok := labels[labelDatabase]; ok {
		reason = "it is a catalog in the old SQLite form (label " + labelDatabase + "=" + inert(value) + "), which is not read: turn it into a file-based catalog with opm migrate, or use a newer version of the image"
	} else if value, ok := labels[labelBundle]; ok {
		reason = "it is the image of a single bundle (label " + labelBundle + "=" + inert(value) + "), not a catalog: name the catalog image that offers the bundle"
	}
	return l.content("", "", nil, "%s", reason)
}

// artifact says that something in a registry is not an image: a chart, a signature.
func (l *loading) artifact(t string) error {
	return l.content("", "", nil, "it is not a container image (%s): name the image of a catalog", inert(t))
}
