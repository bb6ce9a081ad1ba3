package bundledir

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Defaults of the limits in [Options].
const (
	// DefaultMaxFiles is the default of Options.MaxFiles.
	DefaultMaxFiles = 2000
	// DefaultMaxBytes is the default of Options.MaxBytes: 32 MiB, the limit of a blob of a
	// catalog.
	DefaultMaxBytes = 32 << 20
)

// Options are the options of a reader. The zero value is the default. A limit of 0 means its
// default; a negative one means none.
type Options struct {
	// MaxFiles bounds the files in manifests and metadata together.
	MaxFiles int
	// MaxBytes bounds the bytes of these files together.
	MaxBytes int64
}

// Bundle is the content of a bundle directory. It is immutable and safe for concurrent use.
type Bundle struct {
	// Name is the name of the ClusterServiceVersion, for example etcd.v0.9.4.
	Name string
	// Package is the package of the annotations, and Version the version of the
	// ClusterServiceVersion as written, a semantic version.
	Package, Version string
	// Channels are the channels of the annotations, in order, and DefaultChannel is the default
	// channel, which may be empty.
	Channels       []string
	DefaultChannel string
	// Replaces, Skips and SkipRange are those of the ClusterServiceVersion, for the entries of
	// channels in a catalog.
	Replaces  string
	Skips     []string
	SkipRange string
	// Problems are warnings, in the order of the files.
	Problems []graph.Problem

	properties []property
	related    []relatedImage
	metadata   json.RawMessage   // value of olm.csv.metadata
	objects    []json.RawMessage // the manifests, in the order of their files
}

// blob is an olm.bundle blob, with its keys in the order of opm.
type blob struct {
	Schema        string         `json:"schema"`
	Name          string         `json:"name"`
	Package       string         `json:"package"`
	Image         string         `json:"image,omitempty"`
	Properties    []property     `json:"properties"`
	RelatedImages []relatedImage `json:"relatedImages,omitempty"`
}

// Blob returns the olm.bundle blob of the bundle as compact JSON, as opm renders it from the
// bundle's image. Without an image, it contains the objects. The same directory and image give the
// same bytes.
func (b *Bundle) Blob(image string) (json.RawMessage, error) {
	out := blob{Schema: "olm.bundle", Name: b.Name, Package: b.Package, Image: image, Properties: slices.Clone(b.properties), RelatedImages: slices.Clone(b.related)}
	if image != "" {
		out.RelatedImages = withImage(out.RelatedImages, image)
		out.Properties = append(out.Properties, property{Type: properties.TypeCSVMetadata, Value: b.metadata})
	} else {
		for _, object := range b.objects {
			out.Properties = append(out.Properties, made(properties.TypeBundleObject, map[string][]byte{"data": object}))
		}
	}
	// Ordered by content, not by name, as in opm.
	slices.SortStableFunc(out.RelatedImages, func(a, b relatedImage) int { return cmp.Compare(a.Image, b.Image) })
	return marshal(out)
}

// Is reports whether the root of a file system has the folders of a bundle directory, manifests
// and metadata.
func Is(fsys fs.FS) bool {
	for _, name := range []string{manifestsFolder, metadataFolder} {
		if info, err := fs.Stat(fsys, name); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// ReadDir is [Read] of a directory of the operating system. Links that leave it are errors.
func ReadDir(ctx context.Context, dir string, opts Options) (*Bundle, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return Read(ctx, root.FS(), opts)
}

// Read reads the bundle directory at the root of a file system. [os.DirFS] follows links that leave
// it; [ReadDir] and [os.Root] do not.
//
// The error is an [*Error], or that of the context.
func Read(ctx context.Context, fsys fs.FS, opts Options) (*Bundle, error) {
	r := &reader{ctx: ctx, fsys: fsys, files: limit(opts.MaxFiles, DefaultMaxFiles), bytes: limit(opts.MaxBytes, DefaultMaxBytes)}
	b, err := r.bundle()
	if stopped := ctx.Err(); stopped != nil {
		return nil, fmt.Errorf("reading the bundle directory was stopped: %w", stopped)
	}
	slices.SortStableFunc(r.problems, func(a, b graph.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	switch {
	case err != nil:
		return nil, err
	case b == nil || r.failed:
		return nil, &Error{Problems: r.problems}
	}
	b.Problems = r.problems
	return b, nil
}

// limit returns the limit that n means.
func limit[T int | int64](n, standard T) T {
	if n < 0 {
		return T(1) << 30
	}
	return cmp.Or(n, standard)
}

// reader reads a bundle directory.
type reader struct {
	ctx      context.Context
	fsys     fs.FS
	files    int   // budget
	bytes    int64 // budget
	problems []graph.Problem
	failed   bool // a problem is an error
}

// bundle reads the folders; nil if they do not form a bundle.
func (r *reader) bundle() (*Bundle, error) {
	manifests, ok := r.documents(manifestsFolder)
	if !ok {
		return nil, nil
	}
	metadata, ok := r.documents(metadataFolder)
	if !ok {
		return nil, nil
	}
	m := r.manifests(manifests)
	about := r.metadata(metadata)
	if m.csv == nil {
		if !r.failed {
			r.fail(CodeNotBundle, manifestsFolder, 0, "there is no ClusterServiceVersion among the manifests: a bundle has exactly one")
		}
		return nil, nil
	}
	b := &Bundle{
		Name: m.csv.Metadata.Name, Package: about.Package, Version: m.csv.Spec.Version,
		Channels: about.channels(), DefaultChannel: about.DefaultChannel,
		Replaces: m.csv.Spec.Replaces, Skips: m.csv.Spec.Skips, SkipRange: m.csv.Metadata.Annotations[skipRangeAnnotation],
		objects: m.objects, related: m.csv.relatedImages(),
	}
	b.properties = r.properties(m, about)
	var err error
	b.metadata, err = marshal(m.csv.describe())
	return b, err
}

func (r *reader) fail(code graph.Code, file string, line int, format string, args ...any) {
	r.failed = true
	r.note(graph.SeverityError, code, file, line, fmt.Sprintf(format, args...))
}

func (r *reader) warn(file string, line int, format string, args ...any) {
	r.note(graph.SeverityWarning, CodeIgnored, file, line, fmt.Sprintf(format, args...))
}

func (r *reader) note(severity graph.Severity, code graph.Code, file string, line int, message string) {
	r.problems = append(r.problems, graph.Problem{Severity: severity, Code: code, File: file, Line: line, Message: message})
}
