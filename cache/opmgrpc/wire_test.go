package opmgrpc_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/seed109e2655/resolute/cache/opmgrpc/internal/api"
)

// wire is the codec of the fake server: it encodes the messages that the source decodes, by
// pkg/api/registry.proto of operator-registry.
type wire struct{}

func (wire) Name() string { return "proto" }

func (wire) Marshal(v any) ([]byte, error) {
	switch m := v.(type) {
	case *api.Bundle:
		return encodeBundle(m), nil
	case *api.Package:
		data := text(nil, 1, m.Name)
		for _, c := range m.Channels {
			data = part(data, 2, deprecated(text(nil, 1, c.Name), 3, c.Deprecation))
		}
		return deprecated(text(data, 3, m.DefaultChannelName), 4, m.Deprecation), nil
	}
	return v.([]byte), nil
}

func encodeBundle(m *api.Bundle) []byte {
	var data []byte
	for number, value := range map[protowire.Number]string{1: m.CsvName, 2: m.PackageName, 3: m.ChannelName, 4: m.CsvJson,
		6: m.BundlePath, 9: m.Version, 10: m.SkipRange, 13: m.Replaces} {
		data = text(data, number, value)
	}
	for number, list := range map[protowire.Number][]*api.Typed{11: m.Dependencies, 12: m.Properties} {
		for _, t := range list {
			data = part(data, number, text(text(nil, 1, t.Type), 2, t.Value))
		}
	}
	for _, s := range m.Skips {
		data = part(data, 14, []byte(s))
	}
	return deprecated(data, 15, m.Deprecation)
}

// text appends a non-empty string field.
func text(data []byte, number protowire.Number, s string) []byte {
	if s == "" {
		return data
	}
	return part(data, number, []byte(s))
}

// part appends a string or a message.
func part(data []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(data, number, protowire.BytesType), value)
}

func deprecated(data []byte, number protowire.Number, d *api.Deprecation) []byte {
	if d == nil {
		return data
	}
	return part(data, number, text(nil, 1, d.Message))
}

// Unmarshal decodes a request: its strings by field number.
func (wire) Unmarshal(data []byte, v any) error {
	into := v.(*api.Request)
	for len(data) > 0 {
		_, _, tag := protowire.ConsumeTag(data)
		value, size := protowire.ConsumeString(data[max(tag, 0):])
		if tag < 0 || size < 0 {
			return protowire.ParseError(min(tag, size))
		}
		*into, data = append(*into, value), data[tag+size:]
	}
	return nil
}

var codec = api.Codec{MaxFields: 100}

// Unknown fields, and known ones of another wire type, are skipped.
func TestMessages(t *testing.T) {
	var data []byte
	data = protowire.AppendVarint(protowire.AppendTag(data, 1, protowire.VarintType), 7)
	data = part(part(text(data, 2, "p"), 5, []byte("an object")), 99, []byte("x"))
	data = protowire.AppendFixed64(protowire.AppendTag(data, 1000, protowire.Fixed64Type), 1)
	data = part(data, 12, part(text(nil, 1, "t"), 7, nil))
	got := &api.Bundle{}
	require.NoError(t, codec.Unmarshal(data, got))
	require.Equal(t, &api.Bundle{PackageName: "p", Properties: []*api.Typed{{Type: "t"}}, Size: len(data)}, got)

	for name, data := range map[string][]byte{
		"tag":             {0x80},
		"number":          {0x00, 0x00},
		"length":          {0x0a, 0x05, 'a'},
		"text":            {0x0a, 0x01, 0xff},
		"text in a list":  {0x72, 0x01, 0xff},
		"text in an item": {0x62, 0x03, 0x0a, 0x01, 0xff},
		"cut item":        {0x62, 0x02, 0x0a, 0x01},
	} {
		require.Error(t, codec.Unmarshal(data, &api.Bundle{}), name)
	}
}

// FuzzMessages: decoding inverts encoding.
func FuzzMessages(f *testing.F) {
	f.Add(encodeBundle(&api.Bundle{CsvName: "a.v1", Skips: []string{"a.v0"}, Properties: []*api.Typed{{Type: "x", Value: "{}"}}, Deprecation: &api.Deprecation{Message: "old"}}))
	f.Add([]byte{0x0a, 0x05, 'a'})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, again := &api.Bundle{}, &api.Bundle{}
		if codec.Unmarshal(data, got) != nil {
			return
		}
		encoded := encodeBundle(got)
		require.NoError(t, api.Codec{MaxFields: len(encoded)}.Unmarshal(encoded, again))
		again.Size = got.Size
		require.Equal(t, got, again)
	})
}
