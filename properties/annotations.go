package properties

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// Metadata holds the annotations and labels of the ClusterServiceVersion of a bundle. It is
// immutable and may be shared; nil means unknown.
type Metadata struct {
	Annotations, Labels map[string]string
}

// ParseMetadata reads the members "annotations" and "labels" of a JSON object: the value of an
// "olm.csv.metadata" property, or the metadata of a ClusterServiceVersion. Members whose value is
// not a string are ignored, and so is everything else.
func ParseMetadata(object json.RawMessage) *Metadata {
	m := &Metadata{}
	quickjson.Object(object, func(name, value []byte) {
		switch string(name) {
		case "annotations":
			m.Annotations = texts(value)
		case "labels":
			m.Labels = texts(value)
		}
	})
	return m
}

// texts returns the members of a JSON object that are strings.
func texts(object []byte) map[string]string {
	out := make(map[string]string)
	quickjson.Object(object, func(name, value []byte) {
		if len(value) > 0 && value[0] == '"' {
			out[string(name)] = string(quickjson.Unquote(value))
		}
	})
	return out
}

// Metadata returns the annotations and labels of the first "olm.csv.metadata" property, or nil if
// there is none.
func (s Set) Metadata() *Metadata {
	for p := range s.All() {
		if p.Type() == TypeCSVMetadata {
			return ParseMetadata([]byte(p.Raw()))
		}
	}
	return nil
}

// AnnotationCreatedAt is the annotation with the time at which a bundle was created.
const AnnotationCreatedAt = "createdAt"

// ErrNoTime is the error of [Metadata.CreatedAt] without that annotation.
var ErrNoTime = errors.New("the bundle has no annotation createdAt")

// times are the layouts of createdAt in published catalogs that have only one meaning. Without a
// time zone the time is UTC. A fraction of a second may follow.
var times = [...]string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04 UTC", time.DateOnly}

// CreatedAt returns the time of creation of the bundle. The error is [ErrNoTime], or says that the
// text is not a time, such as 01/02/2020, which has two meanings.
func (m *Metadata) CreatedAt() (time.Time, error) {
	if m == nil || m.Annotations[AnnotationCreatedAt] == "" {
		return time.Time{}, ErrNoTime
	}
	text := strings.TrimSpace(m.Annotations[AnnotationCreatedAt])
	for _, layout := range times {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("the annotation createdAt is not a time like 2026-01-31T12:00:00Z: %s", quote(text))
}
