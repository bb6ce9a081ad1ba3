package files

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/internal/file"
)

// Apply applies the next layer, a decompressed tar. It reads to the end of the tar, which may
// be before the end of the reader. An [*Error] says why the layer is rejected, a
// [*cache.LimitError] which limit it exceeds. Any other error comes from the reader, the
// context or the tar decoder.
func (t *Tree) Apply(ctx context.Context, r io.Reader) error {
	t.layer++
	t.begin = t.entries + 1
	tr := tar.NewReader(r)
	last := ""
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := tr.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && !(errors.Is(err, tar.ErrInsecurePath) && h != nil):
			return &Error{Layer: t.layer, Entry: last, Reason: fmt.Sprintf("the data after this entry cannot be read: %v", err), Err: err}
		}
		last = h.Name
		if t.entries++; t.entries > t.limits.Entries {
			return limitExceeded("MaxEntries", t.limits.Entries, t.layer, h.Name)
		}
		// Reading a hole of a sparse file does not read the layer, so the context is checked
		// here.
		if err := t.entry(h, file.Reader{Context: ctx, In: tr}); err != nil {
			return err
		}
	}
}

func (t *Tree) entry(h *tar.Header, content io.Reader) error {
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	p, err := t.path(h.Name, h)
	if err != nil {
		return err
	}
	if done, err := t.whiteout(p, h.Name); done {
		return err
	}
	what := Entry{Kind: kindOf(h.Typeflag)}
	if what.Kind == Link {
		what.Target = h.Linkname
	}
	switch t.locate(p) {
	case outside:
		return nil
	case below:
		if err := t.store(p, h, content, &what); err != nil {
			return err
		}
	}
	return t.put(p, h.Name, what)
}

// kindOf returns the kind of a tar entry. Everything except folders and links counts as a file.
func kindOf(flag byte) fs.FileMode {
	switch flag {
	case tar.TypeDir:
		return Folder
	case tar.TypeSymlink:
		return Link
	}
	return File
}

// path returns the path in the image of an entry or a hard link's target.
func (t *Tree) path(name string, h *tar.Header) (string, error) {
	switch {
	case strings.HasPrefix(name, "/") && strings.Trim(name, "/") != "":
		return "", t.refuse(h.Name, "its path %q is absolute: paths in a layer must be relative to its root; rebuild the layer", name)
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "", t.refuse(h.Name, "its path %q leaves the image through \"..\": do not use this image", name)
	}
	return cleanPath(name), nil
}

// store validates an entry below the folder and stores its content.
func (t *Tree) store(p string, h *tar.Header, content io.Reader, what *Entry) (err error) {
	rel := t.below(p)
	switch {
	case len(h.Name) > maxName || len(h.Linkname) > maxName:
		return t.refuse(h.Name, "its name or target is longer than %d bytes", maxName)
	case !utf8.ValidString(h.Name) || !utf8.ValidString(h.Linkname) || strings.Contains(h.Name, `\`):
		return t.refuse(h.Name, "its name or target is not UTF-8, or its name contains a backslash: rebuild the layer with other names")
	case strings.Count(rel, "/") >= maxDepth:
		return t.refuse(h.Name, "it is nested more than %d folders deep", maxDepth)
	}
	switch h.Typeflag {
	case tar.TypeDir, tar.TypeSymlink:
	case tar.TypeLink:
		*what, err = t.hardLink(h)
	case tar.TypeReg, '\x00', tar.TypeCont, tar.TypeGNUSparse:
		what.Content, err = t.content(h, rel, content)
	default:
		err = t.refuse(h.Name, "it is %s, which is not allowed in a catalog: do not use this image", special(h.Typeflag))
	}
	return err
}

// special describes an unsupported entry type.
func special(flag byte) string {
	switch flag {
	case tar.TypeChar, tar.TypeBlock:
		return "a device"
	case tar.TypeFifo:
		return "a named pipe"
	}
	return fmt.Sprintf("an entry of type %q", flag)
}

// hardLink returns the entry that a hard link refers to.
func (t *Tree) hardLink(h *tar.Header) (Entry, error) {
	p, err := t.path(h.Linkname, h)
	if err != nil {
		return Entry{}, err
	}
	if t.locate(p) != below {
		return Entry{}, t.refuse(h.Name, "it is a hard link to %q, which is outside the catalog's folder /%s: rebuild the image with copies", h.Linkname, t.at)
	}
	n := t.find(p)
	if n == nil || n.Kind == Folder {
		return Entry{}, t.refuse(h.Name, "it is a hard link to %q, which does not exist or is a folder: rebuild the layer", h.Linkname)
	}
	return n.Entry, nil
}

// content stores the content of a file. name is its path below the folder.
func (t *Tree) content(h *tar.Header, name string, content io.Reader) (Content, error) {
	if h.Size > t.limits.Bytes-t.bytes {
		return Content{}, limitExceeded("MaxFileBytes", t.limits.Bytes, t.layer, h.Name)
	}
	if h.Size == 0 {
		return Content{}, nil
	}
	c, err := t.spool.Add(name, content)
	t.bytes += c.Size
	if err != nil && t.spool.Broken() == nil && errors.Is(err, io.ErrUnexpectedEOF) {
		return c, &Error{Layer: t.layer, Entry: h.Name, Reason: "its content is truncated", Err: err}
	}
	return c, err
}

func (t *Tree) refuse(entry, format string, args ...any) error {
	return &Error{Layer: t.layer, Entry: entry, Reason: fmt.Sprintf(format, args...)}
}

// limitExceeded returns the error of an entry that exceeds a limit.
func limitExceeded(field string, limit int64, layer int, entry string) error {
	return &cache.LimitError{Limit: field, Max: limit, At: InLayer(layer, "", entry)}
}
