package image

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/opencontainers/go-digest"
	"oras.land/oras-go/v2/registry"
)

// Transport is the kind of storage of an image: the part before the colon of a reference.
type Transport string

// The transports.
const (
	// Registry is a registry: docker://quay.io/ns/repo:tag. The prefix docker:// is optional.
	Registry Transport = "docker"
	// Layout is the directory of an OCI image layout: oci:DIRECTORY[:NAME].
	Layout Transport = "oci"
	// LayoutArchive is an OCI image layout in a tar file: oci-archive:FILE[:NAME].
	LayoutArchive Transport = "oci-archive"
	// DockerArchive is the output of docker save: docker-archive:FILE[:NAME].
	DockerArchive Transport = "docker-archive"
)

// maxReferenceBytes is the maximum length of a reference.
const maxReferenceBytes = 8 << 10

// Reference identifies an image. References are comparable. The zero value is no reference.
// [Parse] returns one.
type Reference struct {
	// Transport is the kind of storage.
	Transport Transport
	// Repository is host[:port]/path of a registry, with docker.io for Docker
	// Hub; empty for other transports.
	Repository string
	// Path is the directory or file of the other transports.
	Path string
	// Name is the tag in a registry ("latest" if neither tag nor digest is given); the name of
	// the image in a layout (org.opencontainers.image.ref.name); the tag in a Docker archive.
	// It is empty if there is only one image.
	Name string
	// Digest is the digest of the manifest, algorithm:hex, or empty. With a digest, the name is
	// ignored.
	Digest string
}

// ReferenceError reports a text that is not an image reference.
type ReferenceError struct {
	// Text is the text.
	Text string
	// Reason says what is wrong with it.
	Reason string
}

// Error describes the problem and lists the valid forms.
func (e *ReferenceError) Error() string {
	return fmt.Sprintf("%s is not an image reference: %s. Write [docker://]HOST/NAME:TAG, [docker://]HOST/NAME@sha256:DIGEST, oci:DIRECTORY[:NAME], oci-archive:FILE[:NAME] or docker-archive:FILE[:NAME]",
		quoted(e.Text), inert(e.Reason))
}

// Parse parses a reference in one of these forms:
//
//	quay.io/ns/repo:tag            a registry; the prefix docker:// is optional
//	quay.io/ns/repo@sha256:…       by digest; a tag before it is ignored
//	busybox                        short for docker.io/library/busybox:latest
//	oci:DIRECTORY[:NAME]           an OCI image layout, also oci:///DIRECTORY
//	oci:DIRECTORY@sha256:…         … and the digest of a manifest in its index
//	oci-archive:FILE[:NAME]        an OCI image layout in a tar file
//	docker-archive:FILE[:NAME]     the output of docker save or podman save
//
// A path ends at the first colon. Parse accesses neither files nor the network. The error is a
// [*ReferenceError].
func Parse(text string) (Reference, error) {
	if len(text) > maxReferenceBytes {
		return Reference{}, &ReferenceError{Text: text[:100] + "…", Reason: fmt.Sprintf("it is longer than %d bytes", maxReferenceBytes)}
	}
	var r Reference
	var reason string
	switch transport, rest := split(text); {
	case strings.ContainsFunc(text, unicode.IsControl):
		reason = "it contains control characters"
	case transport == Registry:
		r, reason = parseRegistry(rest)
	default:
		r, reason = parsePath(transport, rest)
	}
	if reason != "" {
		return Reference{}, &ReferenceError{Text: text, Reason: reason}
	}
	return r, nil
}

// split returns the transport of a text and the rest.
func split(text string) (Transport, string) {
	for _, t := range []Transport{Layout, LayoutArchive, DockerArchive} {
		if rest, ok := strings.CutPrefix(text, string(t)+":"); ok {
			if after, ok := strings.CutPrefix(rest, "//"); ok {
				rest = after
			}
			return t, rest
		}
	}
	return Registry, strings.TrimPrefix(text, registryPrefix)
}

// registryPrefix is the optional prefix of registry references.
const registryPrefix = string(Registry) + "://"

// maxName is the maximum length of an image name.
const maxName = 255

// parseRegistry parses a registry reference. The part before the first slash is a host if it
// contains a dot or a port, or is localhost; otherwise the image is on Docker Hub. The reason
// says what is wrong.
func parseRegistry(rest string) (r Reference, reason string) {
	base, hash, hasDigest := strings.Cut(rest, "@")
	tag := "latest"
	if i := strings.LastIndex(base, ":"); i > strings.LastIndex(base, "/") {
		base, tag = base[:i], base[i+1:]
	}
	host, path, ok := strings.Cut(base, "/")
	if !ok || host != "localhost" && !strings.ContainsAny(host, ".:") {
		host, path = hub, base
	}
	ref := registry.Reference{Registry: host, Repository: path, Reference: tag}
	switch {
	case rest == "":
		return r, "it is empty"
	case hasDigest && hash == "":
		return r, "there is no digest after the @"
	case ref.ValidateReferenceAsTag() != nil:
		return r, "a tag has 1 to 128 letters, digits and the characters \"_\", \"-\" and \".\", and must not begin with \"-\" or \".\""
	case strings.ToLower(path) != path:
		return r, "the name of an image must not contain uppercase letters"
	case len(path) > maxName || ref.ValidateRepository() != nil:
		return r, fmt.Sprintf("the name of the image must be a path without empty elements, \".\" and \"..\", of at most %d letters and digits, separated by \"_\", \"-\" and \".\"", maxName)
	case ref.ValidateRegistry() != nil || strings.ContainsAny(host[:1], ":.-_") || strings.HasSuffix(host, ":") || strings.Contains(host, "="):
		return r, "the part before the first slash must be host[:port]"
	}
	if (host == hub || host == hubHost) && !strings.Contains(path, "/") {
		path = "library/" + path
	}
	r = Reference{Transport: Registry, Repository: canonical(host + "/" + path), Name: tag}
	if hasDigest {
		h, err := digest.Parse(hash)
		if err != nil {
			return r, "the digest must be sha256: and 64 hexadecimal digits"
		}
		r.Name, r.Digest = "", h.String()
	}
	return r, ""
}

// parsePath parses a reference to a file or directory. The reason says what is wrong.
func parsePath(t Transport, rest string) (r Reference, reason string) {
	r.Transport = t
	if i := strings.LastIndex(rest, "@"); i >= 0 && t != DockerArchive {
		if h, err := digest.Parse(rest[i+1:]); err == nil {
			rest, r.Digest = rest[:i], h.String()
		}
	}
	var named bool
	r.Path, r.Name, named = strings.Cut(rest, ":")
	switch {
	case r.Path == "":
		reason = fmt.Sprintf("there is no path after %s:", t)
	case named && r.Name == "":
		reason = "there is no name after the colon"
	case r.Digest != "":
		r.Name = ""
	}
	return r, reason
}

// String returns the reference in a form that [Parse] accepts.
func (r Reference) String() string {
	suffix := ""
	switch {
	case r.Digest != "":
		suffix = "@" + r.Digest
	case r.Name != "":
		suffix = ":" + r.Name
	}
	switch {
	case r == Reference{}:
		return ""
	case r.Transport == Registry:
		return r.Repository + suffix
	}
	return string(r.Transport) + ":" + r.Path + suffix
}

// catalogEndings are the file extensions of catalogs.
var catalogEndings = [...]string{".yaml", ".yml", ".json", ".jsonl", ".gz"}

// IsReference reports whether a text that may be a path or an image is an image. exists reports
// whether a path exists; nil means that none does.
//
//   - A text with a transport is an image, even if such a file exists: docker://, oci:,
//     oci-archive: and docker-archive:.
//   - Otherwise an existing path is a path. So is a text that begins with /, ./, ../ or ~,
//     contains a backslash, or has a catalog's file extension (.yaml, .json, .gz, …) without a
//     tag: a missing file is not requested from a registry.
//   - Everything else is an image if it names a registry: a first element with a dot or a port,
//     or localhost, followed by a path. So quay.io/ns/repo is an image and catalogs/etcd a
//     path. An image on Docker Hub without its host needs docker://.
func IsReference(text string, exists func(path string) bool) bool {
	if t, _ := split(text); t != Registry || strings.HasPrefix(text, registryPrefix) {
		return true
	}
	if text == "" || exists != nil && exists(text) || strings.ContainsAny(text[:1], "/.~") || strings.Contains(text, `\`) {
		return false
	}
	host, rest, ok := strings.Cut(text, "/")
	if !ok || rest == "" || host != "localhost" && !strings.ContainsAny(host, ".:") {
		return false
	}
	isFile := func(ending string) bool { return strings.HasSuffix(strings.ToLower(text), ending) }
	if slices.ContainsFunc(catalogEndings[:], isFile) && !strings.ContainsAny(rest, ":@") {
		return false
	}
	_, err := Parse(text)
	return err == nil
}
