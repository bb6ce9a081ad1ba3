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

// Argument parses "CATALOG", "NAME=CATALOG" or "NAMESPACE/NAME=CATALOG", where CATALOG is a
// path or an image. The default name is that of the file, directory or repository.
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

// withoutExtensions removes catalog file extensions from a name.
func withoutExtensions(name string) string {
	for {
		ext := filepath.Ext(name)
		if ext == name || !slices.Contains([]string{".gz", ".jsonl", ".json", ".yaml", ".yml"}, ext) {
			return name
		}
		name = strings.TrimSuffix(name, ext)
	}
}

// IsImage reports whether a catalog argument is a container image.
func IsImage(arg string) bool { return new(Images).IsReference(arg) }

// Place returns the path of a catalog file relative to the catalog argument, as users name it.
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
