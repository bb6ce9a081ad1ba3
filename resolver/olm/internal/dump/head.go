package dump

import (
	"bytes"
	"slices"
	"strings"
)

// head is the identity of an object from its first lines.
type head struct {
	apiVersion, kind string
	namespace        string
	copied           bool
}

// SplitAPIVersion splits an API version into group and version.
func SplitAPIVersion(apiVersion string) (group, version string) {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return "", apiVersion
	}
	return group, version
}

func (h *head) group() string {
	group, _ := SplitAPIVersion(h.apiVersion)
	return group
}

// named reports whether both kind and API version are known. Only then can the head rule an
// object out.
func (h *head) named() bool { return h.kind != "" && h.apiVersion != "" }

// items returns the kind of the items of a typed list, such as a SubscriptionList.
func (h *head) items() (kind string, typed bool) {
	kind, typed = strings.CutSuffix(h.kind, "List")
	return kind, typed && kind != "" && h.apiVersion != ""
}

// isCSV reports whether the object is a ClusterServiceVersion, the only kind with copies.
func (h *head) isCSV() bool { return h.kind == csvKind && h.group() == "operators.coreos.com" }

// concluded completes a head: only a copy has an operator in another namespace.
func (h head) concluded(operatorNamespace string) head {
	if operatorNamespace != "" && h.namespace != "" && operatorNamespace != h.namespace {
		h.copied = true
	}
	h.copied = h.copied && h.isCSV()
	return h
}

const csvKind = "ClusterServiceVersion"

// peek finds the head of an object in block style with keys at an indent, without parsing it. The
// content of a key is indented deeper, so a key at a given indent belongs to the key above it. An
// object in another style has no kind here, and is parsed. If peek reports a copy, it is one;
// otherwise the parsed object decides.
func peek(text []byte, indent int) head {
	var h head
	var operatorNamespace, section, part string
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		depth := indentation(line) - indent
		if depth != 0 && depth != 2 && depth != 4 {
			continue
		}
		key, value, ok := keyOf(line[indent+depth:])
		if !ok {
			continue
		}
		switch {
		case depth == 0:
			section, part = string(key), ""
			switch section {
			case "apiVersion":
				h.apiVersion = scalar(value)
			case "kind":
				h.kind = scalar(value)
			}
		case depth == 2 && section == "metadata":
			part = string(key)
			if part == "namespace" {
				h.namespace = scalar(value)
			}
		case depth == 2 && section == "status":
			h.copied = h.copied || string(key) == "reason" && scalar(value) == "Copied"
		case depth == 4 && section == "metadata" && part == "labels":
			h.copied = h.copied || string(key) == "olm.copiedFrom"
		case depth == 4 && section == "metadata" && part == "annotations" && string(key) == "olm.operatorNamespace":
			operatorNamespace = scalar(value)
		}
		if h.named() && (h.copied || section == "spec" && h.kind != csvKind) {
			break
		}
	}
	return h.concluded(operatorNamespace)
}

func indentation(line []byte) int {
	return len(line) - len(bytes.TrimLeft(line, " "))
}

// keyOf splits "key: value". It does not support quoted keys, which are not needed here.
func keyOf(line []byte) (key, value []byte, ok bool) {
	i := bytes.IndexByte(line, ':')
	if i <= 0 || line[0] == '-' || line[0] == '#' || i+1 < len(line) && line[i+1] != ' ' && line[i+1] != '\r' {
		return nil, nil, false
	}
	return line[:i], line[i+1:], true
}

// scalar returns a value that is a name on one line, optionally quoted or with a trailing
// comment. Any other value is empty and left to the parser.
func scalar(value []byte) string {
	s := strings.TrimSpace(string(value))
	if rest, _, commented := strings.Cut(s, " #"); commented {
		s = strings.TrimSpace(rest)
	}
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	if strings.ContainsFunc(s, isNotOfHeads) {
		return ""
	}
	return s
}

// isNotOfHeads reports whether a character never occurs in an API version, kind or namespace.
func isNotOfHeads(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-./", r)
}

// kept are the used keys of a ClusterServiceVersion by section. Most of its text is unused:
// manifests, descriptions and icons.
var kept = map[string][]string{
	"metadata": {"name", "namespace", "uid", "resourceVersion", "labels", "annotations", "deletionTimestamp"},
	"spec":     {"version", "release", "replaces", "customresourcedefinitions", "apiservicedefinitions", "installModes", "minKubeVersion", "nativeAPIs", "install"},
	"status":   {"phase", "reason", "message"},
}

// keptOfInstall are the used parts of spec.install.spec: permissions, but no deployments.
var keptOfInstall = []string{"permissions", "clusterPermissions"}

// prune copies the used lines of a ClusterServiceVersion.
func prune(dst, text []byte, indent int) []byte {
	dst = dst[:0]
	p := pruner{keep: true}
	for line := range bytes.Lines(text) {
		depth := indentation(line) - indent
		if key, _, ok := keyOf(bytes.TrimRight(line[min(len(line), max(0, indent+depth)):], "\r\n")); ok {
			p.key(string(key), depth)
		}
		if p.keep {
			dst = append(dst, line...)
		}
		if p.only {
			p.only, p.keep = false, false // until a kept key in it
		}
	}
	return dst
}

// pruner decides which lines of a ClusterServiceVersion are used, by the keys above them.
type pruner struct {
	section, part string
	inSpec        bool // of spec.install
	// only is set in the line of a key with unused parts.
	only, keep bool
}

// key processes the next key and its depth.
func (p *pruner) key(key string, depth int) {
	switch {
	case depth == 0:
		p.section, p.part, p.keep = key, "", true
	case depth == 2:
		p.part = key
		if keys, some := kept[p.section]; some {
			p.keep = slices.Contains(keys, key)
		}
		p.only = p.section == "spec" && key == "install"
	case depth == 4 && p.section == "metadata" && p.part == "annotations":
		p.keep = strings.HasPrefix(key, "olm.") || strings.HasPrefix(key, "operatorframework.io/")
	case depth == 4 && p.section == "spec" && p.part == "install":
		p.inSpec = key == "spec"
		p.only, p.keep = p.inSpec, p.inSpec
	case depth == 6 && p.section == "spec" && p.part == "install":
		p.keep = p.inSpec && slices.Contains(keptOfInstall, key)
	}
}
