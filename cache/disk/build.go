package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
)

// thisBuild identifies the code that detects the problems of a catalog. Every copy stores it,
// because a copy contains the problems found by its writer.
var thisBuild = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info)
})

// relevant lists the modules whose version affects how a catalog is read.
var relevant = [...]string{
	"github.com/seed109e2655/resolute", "github.com/blang/semver/v4",
	"github.com/google/cel-go", "github.com/go-json-experiment/json",
}

// buildOf identifies a build by the versions of the relevant modules, and by the commit if the
// main module is this one.
func buildOf(info *debug.BuildInfo) string {
	h := sha256.New()
	if info != nil {
		for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
			for named := m; m != nil && slices.Contains(relevant[:], named.Path); m = m.Replace {
				fmt.Fprintln(h, m.Path, m.Version, m.Sum)
			}
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && info.Main.Path == relevant[0] {
				fmt.Fprintln(h, s.Value)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
