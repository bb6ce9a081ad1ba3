package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
)

// thisBuild identifies what finds the problems of a catalog in this program: it
// is part of every copy, since a copy holds what its writer found.
var thisBuild = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info)
})

// meaningful are the modules whose version decides what becomes of a catalog.
var meaningful = [...]string{
	"github.com/seed109e2655/resolute", "github.com/blang/semver/v4",
	"github.com/google/cel-go", "github.com/go-json-experiment/json",
}

// buildOf identifies a build by the versions of the modules in it, and by the commit if it is
// one of this module.
func buildOf(info *debug.BuildInfo) string {
	h := sha256.New()
	if info != nil {
		for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
			for named := m; m != nil && slices.Contains(meaningful[:], named.Path); m = m.Replace {
				fmt.Fprintln(h, m.Path, m.Version, m.Sum)
			}
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && info.Main.Path == meaningful[0] {
				fmt.Fprintln(h, s.Value)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
