// Package api decodes the messages of the gRPC interface of opm serve and of OLM's catalog
// pods, the service api.Registry: pkg/api/registry.proto of
// github.com/operator-framework/operator-registry. It decodes only fields with text or
// messages.
package api

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Bundle is one bundle in one channel.
type Bundle struct {
	CsvName, PackageName, ChannelName string
	CsvJson                           string
	BundlePath, Version               string
	SkipRange, Replaces               string
	Skips                             []string
	Dependencies, Properties          []*Typed
	Deprecation                       *Deprecation
	// Size is the size of the encoded message in bytes.
	Size int
}

// Typed is a dependency or a property: a type and a JSON value.
type Typed struct{ Type, Value string }

// Package is a package with its channels.
type Package struct {
	Name, DefaultChannelName string
	Channels                 []*Channel
	Deprecation              *Deprecation
	// Size is the size of the encoded message in bytes.
	Size int
}

// Channel is a channel of a package.
type Channel struct {
	Name        string
	Deprecation *Deprecation
}

// Deprecation says why something is deprecated.
type Deprecation struct{ Message string }

// Request is a request message: its strings are the fields 1, 2 and so on. GetPackage takes the
// name of a package, GetBundle the names of package, channel and ClusterServiceVersion.
type Request []string

// message maps field numbers to the destinations of their values.
type message interface{ fields() []any }

func (b *Bundle) fields() []any {
	return []any{1: &b.CsvName, 2: &b.PackageName, 3: &b.ChannelName, 4: &b.CsvJson, 6: &b.BundlePath, 9: &b.Version,
		10: &b.SkipRange, 11: &b.Dependencies, 12: &b.Properties, 13: &b.Replaces, 14: &b.Skips, 15: &b.Deprecation}
}

func (t *Typed) fields() []any { return []any{1: &t.Type, 2: &t.Value} }

func (p *Package) fields() []any {
	return []any{1: &p.Name, 2: &p.Channels, 3: &p.DefaultChannelName, 4: &p.Deprecation}
}

func (c *Channel) fields() []any     { return []any{1: &c.Name, 3: &c.Deprecation} }
func (d *Deprecation) fields() []any { return []any{1: &d.Message} }

// Codec encodes a [Request], and decodes a [Bundle] or [Package] with at most MaxFields fields.
// Without this limit, empty fields of two bytes each would take about fifty times as much
// memory.
type Codec struct{ MaxFields int }

// Name implements encoding.Codec.
func (Codec) Name() string { return "proto" }

// Marshal implements encoding.Codec.
func (Codec) Marshal(v any) ([]byte, error) {
	var data []byte
	for i, text := range v.(Request) {
		data = protowire.AppendTag(data, protowire.Number(i+1), protowire.BytesType)
		data = protowire.AppendString(data, text)
	}
	return data, nil
}

// Unmarshal implements encoding.Codec.
func (c Codec) Unmarshal(data []byte, v any) error {
	switch m := v.(type) {
	case *Bundle:
		m.Size = len(data)
	case *Package:
		m.Size = len(data)
	}
	return c.decode(data, v.(message))
}

// decode decodes the fields of a message. It skips unknown fields and known ones of another
// wire type.
func (c Codec) decode(data []byte, into message) error {
	at := into.fields()
	for n := 0; len(data) > 0; n++ {
		number, kind, size := protowire.ConsumeTag(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		length := protowire.ConsumeFieldValue(number, kind, data[size:])
		switch {
		case length < 0:
			return protowire.ParseError(length)
		case n == c.MaxFields:
			return fmt.Errorf("the message has more than %d fields", c.MaxFields)
		case kind == protowire.BytesType && int(number) < len(at):
			value, _ := protowire.ConsumeBytes(data[size:])
			if err := c.field(value, at[number]); err != nil {
				return err
			}
		}
		data = data[size+length:]
	}
	return nil
}

// field decodes a field into its destination.
func (c Codec) field(value []byte, at any) error {
	switch at := at.(type) {
	case *string:
		*at = string(value)
		return valid(value)
	case *[]string:
		*at = append(*at, string(value))
		return valid(value)
	case *[]*Typed:
		*at = append(*at, &Typed{})
		return c.decode(value, (*at)[len(*at)-1])
	case *[]*Channel:
		*at = append(*at, &Channel{})
		return c.decode(value, (*at)[len(*at)-1])
	case **Deprecation:
		*at = &Deprecation{}
		return c.decode(value, *at)
	}
	return nil
}

// valid rejects text that is not UTF-8, as protocol buffers do.
func valid(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("a string of the message is not UTF-8")
	}
	return nil
}
