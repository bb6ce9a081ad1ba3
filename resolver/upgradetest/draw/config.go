package draw

import (
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/properties"
)

// Config says what to draw. Its zero value is the default; each method returns a
// generator of what it is named after, and several may be used at once. All of it is
// small, for small cases are read by people and find the same faults.
type Config struct {
	// MaxCatalogs is how many catalogs a request has at most; 0 stands for 2.
	MaxCatalogs int
	// MaxPackages is how many packages a catalog has at most; 0 stands for 4, and
	// more than 26 are 26.
	MaxPackages int
	// MaxBundles is how many bundles a package has at most; 0 stands for 4.
	MaxBundles int
	// MaxChannels is how many channels a package has at most; 0 stands for 2, and
	// more than 4 are 4.
	MaxChannels int
	// MaxRequires is how many constraints a bundle has at most; 0 stands for 2, and
	// less for none.
	MaxRequires int
	// MaxDepth is how deep compounds nest at most; 0 stands for 2, and less for
	// constraints without compounds.
	MaxDepth int
	// NoCEL leaves CEL rules out.
	NoCEL bool
	// Sound draws only catalogs of which every property of package upgradetest
	// holds, and requests that can be solved: nothing is quarantined, barred or
	// stranded, APIs have one provider, and what is required is there in every
	// version. Without it, what is drawn is as untidy as the world, and the
	// properties that an author is responsible for need not hold.
	Sound bool
}

func (c Config) catalogs() int { return orDefault(c.MaxCatalogs, 2) }
func (c Config) packages() int { return min(orDefault(c.MaxPackages, 4), 26) }
func (c Config) bundles() int  { return orDefault(c.MaxBundles, 4) }
func (c Config) channels() int { return min(orDefault(c.MaxChannels, 2), len(channelNames)) }
func (c Config) requires() int { return orDefault(c.MaxRequires, 2) }
func (c Config) depth() int    { return orDefault(c.MaxDepth, 2) }

// orDefault is n, or the default if it is 0, and never less than 0.
func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return max(n, 0)
}

// channelNames are the channels; the first is the default channel of most packages.
var channelNames = [...]string{"stable", "candidate", "fast", "alpha"}

// letter distinguishes packages, their bundles and their APIs.
func letter(i int) string { return string(rune('a' + i)) }

// packageName is the name of package number i, from 0: pkg-a, pkg-b and so on.
func packageName(i int) string { return "pkg-" + letter(i) }

// bundleName is the name of a bundle, for example a.v1.0.0 of pkg-a.
func bundleName(pkg, version string) string {
	return fmt.Sprintf("%s.v%s", strings.TrimPrefix(pkg, "pkg-"), version)
}

// api is the API that package number i is there for.
func api(i int) properties.GVK {
	return properties.GVK{Group: "example.com", Version: "v1", Kind: strings.ToUpper(letter(i))}
}
