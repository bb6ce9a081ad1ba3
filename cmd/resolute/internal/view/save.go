package view

import (
	"bytes"
	"os"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// extensionsFile returns the file name of the OLM v1 scenario: _extensions.yaml, unless a
// namespace has that name.
func extensionsFile(namespaces []olm.Namespace) string {
	name := "_extensions"
	for slices.ContainsFunc(namespaces, func(ns olm.Namespace) bool { return strings.EqualFold(ns.Namespace, name) }) {
		name = "_" + name
	}
	return name + ".yaml"
}

// SaveCapture writes a file for each namespace to a directory and creates it if necessary. It
// never writes outside the directory, whatever the names of namespaces or the targets of
// symbolic links.
func SaveCapture(dir string, captured *olm.Capture) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, ns := range captured.Namespaces {
		if err := writeScenario(root, ns.Namespace+".yaml", ns.Scenario); err != nil {
			return err
		}
	}
	if captured.Extensions != nil {
		return writeScenario(root, extensionsFile(captured.Namespaces), captured.Extensions.Scenario)
	}
	return nil
}

func writeScenario(root *os.Root, name string, s *scenario.Scenario) error {
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		return err
	}
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	if _, err := b.WriteTo(f); err != nil {
		_ = f.Close() // report the first error
		return err
	}
	return f.Close()
}
