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

// backend provides an image: a registry, a layout or an archive.
type backend interface {
	// resolve returns the current descriptor of the reference. The manifest is nil if it has to
	// be read.
	resolve() (ocispec.Descriptor, *manifestForm, error)
	// open opens an unverified index, manifest, configuration or layer. All errors, including
	// read errors, are documented ones.
	open(d ocispec.Descriptor, what string) (io.ReadCloser, error)
	// close releases all resources.
	close()
}

// remoteImage describes an image before its layers are read.
type remoteImage struct {
	about
	caches []string // absolute paths of opm caches
	layers []layerSource
}

// layerSource is a layer as transferred, with the digest of its uncompressed tar.
type layerSource struct {
	ocispec.Descriptor
	diffID digest.Digest
}

// Supported OCI and Docker media types. dockerZstdLayer is in no specification, but some tools
// write it.
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

// maxNesting is the maximum nesting depth of indexes.
const maxNesting = 3

// manifestForm is the JSON form of an index or a manifest.
type manifestForm struct {
	SchemaVersion int                  `json:"schemaVersion"`
	MediaType     string               `json:"mediaType"`
	Manifests     []ocispec.Descriptor `json:"manifests"`
	Config        *ocispec.Descriptor  `json:"config"`
	Layers        []ocispec.Descriptor `json:"layers"`
}

// valid returns an error if a digest is invalid. A missing digest is valid.
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

// describe resolves a descriptor to an image. m is nil if the manifest has to be read.
func (l *loader) describe(top ocispec.Descriptor, m *manifestForm) (*remoteImage, error) {
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
	return nil, l.invalid("index", top, "is nested in more than %d indexes: reference the image by its own digest", maxNesting)
}

// invalid returns the error of a document.
func (l *loader) invalid(what string, at ocispec.Descriptor, format string, args ...any) error {
	return l.contentError(what, at.Digest.String(), nil, format, args...)
}

// read reads and verifies a document.
func (l *loader) read(at ocispec.Descriptor, what string) ([]byte, error) {
	if err := l.checkLimit("MaxManifestBytes", at.Size, l.opts.Limits.MaxManifestBytes, ""); err != nil {
		return nil, err
	}
	body, err := l.backend.open(at, what)
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
			return nil, l.truncated(what, int64(len(data)), at.Size, nil)
		}
		return nil, l.digestMismatch(what, at.Digest, got)
	}
	return data, nil
}

// document reads an index, manifest or configuration and checks its limits before it is
// decoded, because decoding does not observe the context.
func (l *loader) document(from io.Reader) ([]byte, error) {
	limits := l.opts.Limits
	data, err := io.ReadAll(io.LimitReader(from, limits.MaxManifestBytes+1))
	if err == nil {
		err = l.checkLimit("MaxManifestBytes", int64(len(data)), limits.MaxManifestBytes, "")
	}
	if err == nil {
		err = l.checkLimit("MaxManifestItems", countItems(data), limits.MaxManifestItems, "")
	}
	return data, err
}

// countItems counts the lists, objects and commas of a JSON text.
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

// parse parses an index or manifest and rejects unsupported ones.
func (l *loader) parse(data []byte, at ocispec.Descriptor) (*manifestForm, error) {
	m := &manifestForm{}
	err := json.Unmarshal(data, m)
	if err == nil {
		err = m.valid()
	}
	if err != nil {
		return nil, l.invalid("manifest", at, "is invalid: %v; contact the operator of the registry", err)
	}
	isIndex, t := m.Manifests != nil, m.MediaType
	switch {
	case m.SchemaVersion == 1:
		return nil, l.invalid("manifest", at, "uses the legacy Docker schema 1, which is not supported: push the image again with a current tool")
	case isIndex == (m.Config != nil):
		return nil, l.invalid("manifest", at, "is neither an image nor an index: check that the reference names a container image")
	case !isIndex && m.Config.Digest == "":
		return nil, l.invalid("manifest", at, "has no configuration: check that the reference names a container image")
	case t != "" && !slices.Contains(manifestTypes, t):
		return nil, l.artifact(t)
	case t != "" && slices.Contains(indexTypes, t) != isIndex:
		return nil, l.invalid("manifest", at, "does not match its media type %s: contact the publisher", t)
	}
	for i, layer := range m.Layers {
		switch {
		case layer.Digest == "":
			return nil, l.invalid("manifest", at, "has no digest for layer %d: rebuild the image", i+1)
		case layer.Size < 0:
			return nil, l.invalid("manifest", at, "has a negative size for layer %d: rebuild the image", i+1)
		case !slices.Contains(layerTypes, layer.MediaType):
			return nil, l.invalid("manifest", at, "has an unknown media type for layer %d, %q: check that the reference names a container image", i+1, layer.MediaType)
		}
	}
	return m, nil
}

// choose selects an image of an index: linux/amd64, else the first for linux, else the first. A
// catalog is the same for all platforms, so the choice does not depend on the machine.
func (l *loader) choose(m *manifestForm, at ocispec.Descriptor) (ocispec.Descriptor, error) {
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
			r = 0 // an attestation, or not an image
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
		return at, l.invalid("index", at, "contains no image: check that the reference names a container image")
	case best.Digest == "":
		return at, l.invalid("index", at, "lists an image without a digest: contact the publisher")
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
func (l *loader) manifest(m *manifestForm, at ocispec.Descriptor) (*remoteImage, error) {
	if t := m.Config.MediaType; !slices.Contains(configTypes, t) {
		return nil, l.artifact(t)
	}
	limits := l.opts.Limits
	if err := l.checkLimit("MaxLayers", int64(len(m.Layers)), limits.MaxLayers, ""); err != nil {
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
		return nil, l.invalid("configuration", *m.Config, "is invalid: %v; rebuild the image", err)
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
		return nil, l.invalid("manifest", at, "has %d layers but its configuration has %d: rebuild the image", len(m.Layers), len(diffIDs))
	}
	remaining := limits.MaxBytes
	for i, layer := range m.Layers {
		if remaining -= max(layer.Size, 0); remaining < 0 {
			return nil, l.limitExceeded("MaxBytes", limits.MaxBytes, layerName(i+1))
		}
		img.layers = append(img.layers, layerSource{layer, diffIDs[i]})
	}
	return img, nil
}

// layerName names a layer in errors.
func layerName(number int) string { return fmt.Sprintf("layer %d", number) }

// cacheOption is the opm option that sets its cache directory.
const cacheOption = "--cache-dir"

// noCatalog returns the error of an image without a catalog folder.
func (l *loader) noCatalog(labels map[string]string) error {
	reason := "it is not a catalog image: label " + LabelConfigs + " is missing; use the image of a file-based catalog, or set the label when building the image"
	if value, ok := labels[labelDatabase]; ok {
		reason = "it is a catalog in the legacy SQLite format (label " + labelDatabase + "=" + inert(value) + "), which is not supported: convert it to a file-based catalog with opm migrate, or use a newer version of the image"
	} else if value, ok := labels[labelBundle]; ok {
		reason = "it is the image of a single bundle (label " + labelBundle + "=" + inert(value) + "), not a catalog: use the catalog image that contains the bundle"
	}
	return l.contentError("", "", nil, "%s", reason)
}

// artifact returns the error of a registry artifact that is not an image, such as a chart or a
// signature.
func (l *loader) artifact(t string) error {
	return l.contentError("", "", nil, "it is not a container image (%s): use the image of a catalog", inert(t))
}
