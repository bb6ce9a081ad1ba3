package pull

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Argument reads "PATH", "NAME=PATH" or "NAMESPACE/NAME=PATH", where an
// image may stand for the path. Without a name, the catalog is called as its file,
// directory or repository is.
func Argument(arg string) (cache.Key, string, error) {
	if IsImage(arg) {
		return cache.Key{Namespace: scenario.DefaultNamespace, Name: Name(arg)}, arg, nil
	}
	name, path, named := strings.Cut(arg, "=")
	if _, err := os.Stat(arg); err == nil || !named {
		path = arg
		if abs, err := filepath.Abs(arg); err == nil {
			path = abs
		}
		return cache.Key{Namespace: scenario.DefaultNamespace, Name: withoutExtensions(filepath.Base(path))}, arg, nil
	}
	if !strings.Contains(name, "/") {
		name = scenario.DefaultNamespace + "/" + name
	}
	key, err := cache.ParseKey(name)
	if err != nil {
		return key, path, fmt.Errorf("%s: %w", arg, err)
	}
	return key, path, nil
}

// withoutExtensions cuts the extensions of a file-based catalog off a name.
func withoutExtensions(name string) string {
	for {
		ext := filepath.Ext(name)
		if ext == name || !slices.Contains([]string{".gz", ".jsonl", ".json", ".yaml", ".yml"}, ext) {
			return name
		}
		name = strings.TrimSuffix(name, ext)
	}
}

// IsImage reports whether an argument that stands where a catalog may stand means a
// container image.
func IsImage(arg string) bool { return new(Images).IsReference(arg) }

// Place names a file of a catalog as the user does, who named the catalog.
func Place(catalog, file string) string {
	if IsImage(catalog) {
		if file == "" {
			return ""
		}
		return catalog + "/" + file
	}
	if info, err := os.Stat(catalog); err == nil && !info.IsDir() {
		return catalog
	}
	if file == "" {
		return ""
	}
	return filepath.Join(catalog, filepath.FromSlash(file))
}
