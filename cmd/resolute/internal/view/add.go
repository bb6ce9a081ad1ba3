package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/bundledir"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// ReadAddition reads the bundle directory of "DIRECTORY" or "DIRECTORY@CHANNEL,...". It calls
// warn for each suspicious part.
func ReadAddition(ctx context.Context, arg string, warn func(string)) (*catalogdiff.Addition, error) {
	dir, channels := cutChannels(arg)
	if slices.Contains(channels, "") {
		return nil, errors.New("a channel name after @ is empty")
	}
	b, err := bundledir.ReadDir(ctx, dir, bundledir.Options{})
	if err != nil {
		return nil, err
	}
	for _, p := range b.Problems {
		warn((&graph.Problem{File: filepath.Join(dir, filepath.FromSlash(p.File)), Line: p.Line, Message: p.Message}).Error())
	}
	bundle, err := bundleOf(ctx, b)
	if err != nil {
		return nil, err
	}
	if channels == nil {
		channels = b.Channels
	}
	return &catalogdiff.Addition{Package: b.Package, Bundle: bundle, Pos: graph.Pos{File: bundleFile(dir)}, Channels: channels, DefaultChannel: b.DefaultChannel,
		Replaces: b.Replaces, Skips: b.Skips, SkipRange: b.SkipRange}, nil
}

// cutChannels splits "DIRECTORY@CHANNEL,...".
func cutChannels(arg string) (dir string, channels []string) {
	i := strings.LastIndexByte(arg, '@')
	if i < 0 {
		return arg, nil
	}
	channels = strings.Split(arg[i+1:], ",")
	for i := range channels {
		channels[i] = strings.TrimSpace(channels[i])
	}
	return arg[:i], channels
}

// bundleFile returns the ClusterServiceVersion file of a bundle directory if its name
// identifies it, or else the directory.
func bundleFile(dir string) string {
	found, err := filepath.Glob(filepath.Join(dir, "manifests", "*clusterserviceversion*"))
	if err != nil || len(found) != 1 {
		return dir
	}
	return found[0]
}

// bundleOf returns the bundle of a bundle directory.
func bundleOf(ctx context.Context, b *bundledir.Bundle) (*graph.Bundle, error) {
	blob, err := b.Blob("")
	if err != nil {
		return nil, err
	}
	alone, err := fbc.FromBlobs(ctx, []json.RawMessage{blob}, fbc.Options{})
	if err != nil {
		return nil, err
	}
	for bundle := range alone.Bundles() {
		return bundle, nil
	}
	return nil, fmt.Errorf("not a valid bundle: %v", alone.Problems())
}

// IsAdded reports whether a file belongs to a bundle directory among the arguments.
func IsAdded(file string, args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		dir, _ := cutChannels(arg)
		return bundleFile(dir) == file
	})
}
