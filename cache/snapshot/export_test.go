package snapshot

import "github.com/seed109e2655/resolute/cache"

// Parts of the format for tests that damage it on purpose.
const (
	HeaderSize  = headerSize
	TrailerSize = trailerSize
	FormatAt    = formatAt
)

// Body returns the body of a snapshot.
func Body(c *cache.Content) ([]byte, error) { return body(c, "") }

// Seal makes a snapshot of this format and build of any body.
func Seal(body []byte) []byte { return seal(body, FormatVersion, thisBuild()) }

// SealAs is Seal for another format or build: build is added to this one.
func SealAs(body []byte, format uint32, build uint64) []byte {
	return seal(body, format, thisBuild()+build)
}

// BuildOf and Shape are what identifies a build.
var (
	BuildOf = buildOf
	Shape   = shape
)

// TemporaryPrefix returns how the names of temporary files begin.
var TemporaryPrefix = temporaryPrefix
