package image

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// tagFolder is where the store notes which digest a name had last.
	tagFolder = "names"
	tagSuffix = ".json"
)

// tag is what a name stood for when it was last asked.
type tag struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// tagPath returns where a name is noted.
func (s *Store) tagPath(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(s.dir, tagFolder, hex.EncodeToString(sum[:])+tagSuffix)
}

// setTag notes what a name stands for.
func (s *Store) setTag(t tag) error {
	if s.tag(t.Name) == t.Digest {
		return nil
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	f, err := s.temporary()
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Move(s.tagPath(t.Name))
	}
	return errors.Join(err, f.Close())
}

// tag returns the digest that a name had last, empty if it is not known.
func (s *Store) tag(name string) string {
	if t := readTag(s.tagPath(name)); t.Name == name {
		return t.Digest
	}
	return ""
}

// tags returns all notes, by their files. One that cannot be read has no name and no digest.
func (s *Store) tags() (map[string]tag, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, tagFolder))
	if err != nil {
		return nil, ignoreMissing(err)
	}
	all := map[string]tag{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), tagSuffix) && e.Type().IsRegular() {
			file := filepath.Join(s.dir, tagFolder, e.Name())
			all[file] = readTag(file)
		}
	}
	return all, nil
}

// removeStrayTags removes the notes of images that are not kept any more.
func (s *Store) removeStrayTags() error {
	kept, err := s.list()
	if err != nil {
		return err
	}
	tags, err := s.tags()
	if err != nil {
		return err
	}
	for file, t := range tags {
		if slices.ContainsFunc(kept, func(k Kept) bool { return k.Digest == t.Digest }) {
			continue
		}
		if err := ignoreMissing(os.Remove(file)); err != nil {
			return err
		}
	}
	return nil
}

// readTag reads a note. A damaged one counts as missing.
func readTag(file string) (t tag) {
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &t) != nil {
		return tag{}
	}
	return t
}
