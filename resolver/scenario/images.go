package scenario

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
)

// Images reads the catalogs that are container images, for a [Loader]. Programs
// make one with package cache/image, so that only those that want images link
// what it takes to fetch them. It has to be safe for concurrent use.
type Images interface {
	// IsReference reports whether a text that stands where a path may stand
	// means an image.
	IsReference(text string) bool
	// Allow says why an image that a scenario names is not to be read; nil
	// allows it. Scenarios come from anybody, and fetching an image shows the
	// registry who asks.
	Allow(reference string) error
	// Catalog reads the catalog in an image. A path in the reference is relative
	// to dir, and to the working directory if dir is empty. Several goroutines may
	// call it at the same time.
	Catalog(ctx context.Context, reference, dir string, opts fbc.Options) (*cache.Catalog, error)
}

// localImages are what references to images in files begin with.
var localImages = [...]string{"oci:", "oci-archive:", "docker-archive:"}

// allowImages wants each image that a scenario names to be allowed. The error is
// an [*Error] about all that are not.
func (l *Loader) allowImages(s *Scenario) error {
	ps := &problems{origin: &s.origin}
	for i, c := range s.Catalogs {
		if c.Image == "" {
			continue
		}
		path := fmt.Sprintf("catalogs[%d].image", i)
		if l.Images == nil {
			ps.add(path, "this program does not read container images, such as %s; write the catalog to a file, and give its path", c.Image)
			continue
		}
		if err := l.Images.Allow(c.Image); err != nil {
			ps.add(path, "%v", err)
			continue
		}
		for _, transport := range localImages {
			if s.origin.fsys != nil && strings.HasPrefix(c.Image, transport) {
				ps.add(path, "%s leads out of the file system that the scenario was read from", c.Image)
			}
		}
	}
	return ps.err()
}
