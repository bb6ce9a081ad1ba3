package lock

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/readable"
	"github.com/seed109e2655/resolute/internal/strict"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// header is the first line of each lock.
const header = "# Made by resolute lock. Do not edit it: change the scenario, and lock again.\n"

// Write writes the lock as YAML. The error is that of the writer, an [*Error] for a lock that
// [Read] would refuse, or that of a literal that cannot be encoded.
func (l *Lock) Write(w io.Writer) error {
	data, err := l.bytes()
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func (l *Lock) bytes() ([]byte, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	return l.encode()
}

func (l *Lock) encode() ([]byte, error) {
	out := bytes.NewBufferString(header)
	if err := readable.Write(out, l); err != nil {
		return nil, &Error{Message: "it cannot be written", Err: err}
	}
	if out.Len() > MaxBytes {
		return nil, &Error{Message: fmt.Sprintf("it has %d bytes; at most %d are read", out.Len(), MaxBytes)}
	}
	return out.Bytes(), nil
}

// WriteFile writes the lock to a file: to a new one beside it, which then replaces it in one
// rename, so that the file is never incomplete. A file that has these bytes already is left
// alone, and one that is a link is replaced, not its target.
func (l *Lock) WriteFile(file string) error {
	data, err := l.bytes()
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if there, err := os.Lstat(file); err == nil && there.Mode().IsRegular() {
		mode = there.Mode().Perm()
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
			return nil
		}
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	if err == nil {
		err = temporary.Chmod(mode)
	}
	if err == nil {
		err = temporary.Sync()
	}
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temporary.Name()) // the first error counts
	}
	return err
}

// form is a lock as its file has it.
type form struct {
	Version     int                   `json:"version"`
	Question    json.RawMessage       `json:"question"`
	Catalogs    []certificate.Catalog `json:"catalogs"`
	Bundles     []Bundle              `json:"bundles"`
	Certificate json.RawMessage       `json:"certificate"`
	Digest      string                `json:"digest"`
}

// Read reads a lock in YAML or JSON, of at most [MaxBytes]. The name of the file is used in
// messages, and its directory resolves relative paths of catalogs.
//
// The error is an [*Error], or that of the reader or of the context.
func Read(ctx context.Context, r io.Reader, file string) (*Lock, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, &Error{File: file, Message: fmt.Sprintf("it has more than %d bytes", MaxBytes)}
	}
	l, err := parse(ctx, data, file)
	if err != nil {
		return nil, in(file, err)
	}
	switch digest, err := l.digest(); {
	case err != nil:
		return nil, in(file, err)
	case digest != l.Digest:
		return nil, &Error{File: file, Message: "it was edited by hand or damaged: its content has the digest " + digest + "; change the scenario instead, and lock again"}
	}
	if err := l.validate(); err != nil {
		return nil, in(file, err)
	}
	return l, nil
}

// sealed returns the lock as it will be read, with its digest.
func (l *Lock) sealed(ctx context.Context) (*Lock, error) {
	data, err := l.encode()
	if err != nil {
		return nil, err
	}
	sealed, err := parse(ctx, data, l.Question.File())
	if err != nil {
		return nil, err
	}
	if sealed.Digest, err = sealed.digest(); err != nil {
		return nil, err
	}
	if err := sealed.validate(); err != nil {
		return nil, err
	}
	return sealed, nil
}

// parse reads a lock whose parts may not agree yet.
func parse(ctx context.Context, data []byte, file string) (*Lock, error) {
	root, err := document.Decode(ctx, data, file, document.Limits{MaxBytes: MaxBytes, MaxNodes: MaxValues})
	var bad *document.SyntaxError
	switch {
	case errors.As(err, &bad):
		return nil, &Error{Line: bad.Line, Message: bad.Reason}
	case err != nil:
		return nil, err
	}
	f, err := decode(ctx, root)
	if err != nil {
		return nil, err
	}
	l := &Lock{Version: f.Version, Catalogs: f.Catalogs, Bundles: f.Bundles, Digest: f.Digest}
	if l.Certificate, err = certificate.Read(bytes.NewReader(f.Certificate)); err != nil {
		return nil, &Error{Message: "its certificate", Err: err}
	}
	if l.Question, err = scenario.Parse(ctx, file, f.Question); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, &Error{Message: "its question", Err: err}
	}
	return l, nil
}

// decode decodes the keys of a lock. A version that is not known is reported before anything
// else.
func decode(ctx context.Context, root *document.Node) (*form, error) {
	version := root.Field("version")
	if version == nil {
		return nil, &Error{Message: "it has no version; resolute lock makes locks"}
	}
	if text := fmt.Sprint(Version); version.Kind != document.KindNumber || version.Value != text {
		return nil, &Error{Line: version.Line, Message: fmt.Sprintf("it is of version %s; this program reads version %s", version.JSON(), text)}
	}
	for _, key := range []string{"question", "catalogs", "bundles", "certificate", "digest"} {
		if root.Field(key) == nil {
			return nil, &Error{Message: "it has no " + key + ": it is truncated, or was edited by hand"}
		}
	}
	var first error
	f := new(form)
	d := strict.Decoder{
		Add: func(line int, path, message string) {
			if first == nil {
				first = &Error{Line: line, Message: path + ": " + message}
			}
		},
		Stopped: func() bool { return ctx.Err() != nil },
	}
	d.Decode("", root, reflect.ValueOf(f).Elem())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f, first
}

// digest returns the digest of everything but the digest itself. Comments, line breaks and the
// style of YAML do not count.
func (l *Lock) digest() (string, error) {
	of := *l
	of.Digest = ""
	data, err := json.Marshal(of)
	if err != nil {
		return "", &Error{Message: "it cannot be written", Err: err}
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// canonicalQuestion returns a scenario as it is after it was written and read.
func canonicalQuestion(ctx context.Context, s *scenario.Scenario) (*scenario.Scenario, error) {
	var out bytes.Buffer
	if err := s.Write(&out); err != nil {
		return nil, err
	}
	return scenario.Parse(ctx, s.File(), out.Bytes())
}
