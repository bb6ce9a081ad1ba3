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
	// tagFolder is the directory in which the store records the last digest of each reference.
	tagFolder = "names"
	tagSuffix = ".json"
)

// tag is the last known digest of a reference.
type tag struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// tagPath returns the path of a reference's record.
func (s *Store) tagPath(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(s.dir, tagFolder, hex.EncodeToString(sum[:])+tagSuffix)
}

// setTag records the digest of a reference.
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

// tag returns the last known digest of a reference, or "".
func (s *Store) tag(name string) string {
	if t := readTag(s.tagPath(name)); t.Name == name {
		return t.Digest
	}
	return ""
}

// tags returns all records by file name. An unreadable one is zero.
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

// removeStrayTags removes the records of images that are no longer stored.
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

// readTag reads a record. A damaged one counts as missing.
func readTag(file string) (t tag) {
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &t) != nil {
		return tag{}
	}
	return t
}
