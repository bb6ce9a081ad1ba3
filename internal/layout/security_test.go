package layout_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/catalogd"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/lock"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// TestDocumentedLimits: .github/SECURITY.md has the defaults of the code.
func TestDocumentedLimits(t *testing.T) {
	text := testkit.Must(os.ReadFile("../../.github/SECURITY.md"))(t)
	images, served := image.Defaults(), catalogd.Defaults()
	read := fbc.Options{}.WithDefaults()
	for name, value := range map[string]any{
		"fbc.Options.MaxTotalBytes": size(read.MaxTotalBytes), "fbc.Options.MaxBlobs": read.MaxBlobs,
		"fbc.Options.MaxBlobBytes": size(read.MaxBlobBytes), "fbc.Options.MaxNodes": read.MaxNodes,
		"fbc.Options.MaxDepth": read.MaxDepth, "fbc.Options.MaxItems": read.MaxItems,
		"fbc.Options.MaxPropertyBytes": size(int64(read.MaxPropertyBytes)), "fbc.Options.MaxNameBytes": size(int64(read.MaxNameBytes)), "fbc.Options.MaxProblems": read.MaxProblems,
		"fbc.MaxIgnoreBytes": size(fbc.MaxIgnoreBytes), "fbc.MaxIgnoreRules": fbc.MaxIgnoreRules,
		"constraints.MaxBytes": size(constraints.MaxBytes), "constraints.MaxDepth": constraints.MaxDepth, "constraints.MaxVetoRules": constraints.MaxVetoRules,
		"cel.MaxRuleBytes": size(cel.MaxRuleBytes), "cel.MaxRuleTokens": cel.MaxRuleTokens, "cel.MaxRuleDepth": cel.MaxRuleDepth, "cel.MaxRuleNodes": cel.MaxRuleNodes,
		"cel.MaxOperations": cel.MaxOperations, "cel.MaxBuilders": cel.MaxBuilders, "cel.MaxComputedKeys": cel.MaxComputedKeys, "cel.Options.CostLimit": cel.DefaultCostLimit,
		"resolver.Limits.CELCost": 1_000_000_000, "resolver.Limits.Bundles": 2_000_000,
		"resolver.Limits.Solves": 100_000, "resolver.Limits.Steps": 50_000_000, "resolver.ConvergeOptions.MaxRounds": 1000,
		"trace.Options.Events": trace.DefaultEvents, "trace.Options.Candidates": trace.DefaultCandidates,
		"audit.MaxPairs":       audit.MaxPairs,
		"certificate.MaxBytes": size(certificate.MaxBytes), "certificate.MaxLemmas": certificate.MaxLemmas,
		"lock.MaxBytes": size(lock.MaxBytes), "lock.MaxValues": lock.MaxValues,
		"scenario.MaxExpected": scenario.MaxExpected,
		"olm.MaxObjects":       olm.MaxObjects, "olm.MaxKeptBytes": size(olm.MaxKeptBytes), "olm.MaxItems": olm.MaxItems, "olm.MaxPropertiesBytes": size(olm.MaxPropertiesBytes),
		"scenario.MaxBytes": size(scenario.MaxBytes), "scenario.MaxCatalogs": scenario.MaxCatalogs,
		"scenario.MaxSubscriptions": scenario.MaxSubscriptions, "scenario.MaxInstalled": scenario.MaxInstalled, "scenario.MaxWhatIfs": scenario.MaxWhatIfs,
		"catalogd.Options.MaxBytes": size(served.MaxBytes), "disk.Options.MaxBytes": size(disk.DefaultMaxBytes),
		"image.Limits.MaxBytes": size(images.Limits.MaxBytes), "image.Limits.MaxUnpackedBytes": size(images.Limits.MaxUnpackedBytes),
		"image.Limits.MaxFileBytes": size(images.Limits.MaxFileBytes), "image.Limits.MaxFiles": images.Limits.MaxFiles, "image.Limits.MaxEntries": images.Limits.MaxEntries,
		"image.Limits.MaxLayers": images.Limits.MaxLayers, "image.Limits.MaxManifestBytes": size(images.Limits.MaxManifestBytes), "image.Limits.MaxRedirects": images.Limits.MaxRedirects, "image.Limits.MaxManifestItems": images.Limits.MaxManifestItems,
		"image.Options.Retries": images.Retries, "image.StoreOptions.MaxBytes": size(image.DefaultStoreBytes),
		"image.Options.ConnectTimeout": images.ConnectTimeout, "image.Options.HeaderTimeout": images.HeaderTimeout,
		"image.Options.IdleTimeout":      images.IdleTimeout,
		"catalogd.Options.HeaderTimeout": served.HeaderTimeout, "catalogd.Options.IdleTimeout": served.IdleTimeout,
	} {
		require.Regexp(t, fmt.Sprintf("(?m)^\\| `%s`[^|]* \\| %v \\| [^|]+ \\|$", name, value), string(text))
	}
	for words, value := range map[string]any{ // limits without a name for users
		"one line of an audit, or of reports on clusters, that is merged":     size(shards.MaxLine),
		"lists, objects and items of lists in such a line; at most 64 levels": shards.MaxItems,
	} {
		require.Contains(t, string(text), fmt.Sprintf("\n| %s | %v | ", words, value))
	}
}

// TestNamesOfSecurity: library names in .github/SECURITY.md exist.
func TestNamesOfSecurity(t *testing.T) {
	text := testkit.Must(os.ReadFile("../../.github/SECURITY.md"))(t)
	folders := make(map[string]string)
	for _, parent := range []string{"", "cache", "constraints", "resolver"} {
		inside := testkit.Must(os.ReadDir(filepath.Join("../..", parent)))(t)
		for _, e := range inside {
			folders[e.Name()] = filepath.Join("../..", parent, e.Name())
		}
	}
	names := regexp.MustCompile("`\\*?([a-z]+)\\.([A-Z]\\w*)").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(names), 50)
	for _, name := range names {
		if name[1] == "fs" || name[1] == "os" {
			continue // standard library
		}
		files := testkit.Must(filepath.Glob(filepath.Join(folders[name[1]], "*.go")))(t)
		found := slices.ContainsFunc(files, func(file string) bool {
			source := testkit.Must(os.ReadFile(file))(t)
			declares := regexp.MustCompile(`(?m)^(type |func |const |var |\t)` + name[2] + `\b[^.:]`)
			return !strings.HasSuffix(file, "_test.go") && declares.Match(source)
		})
		require.True(t, found, "%s.%s", name[1], name[2])
	}
}

// size formats bytes like the table.
func size(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB"}
	for n%1024 == 0 && len(units) > 1 {
		n, units = n/1024, units[1:]
	}
	return fmt.Sprintf("%d %s", n, units[0])
}
