package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The entries of a channel, each with a range that takes a while to parse, are not worked
// on any more once Done is closed.
func TestEntriesEndWithDone(t *testing.T) {
	done := make(chan struct{})
	close(done)
	b := &builder{opts: Options{Done: done}, pkg: &Package{Name: "p"}}
	c := &Channel{Name: "c"}
	b.entries(c, &ChannelDecl{Entries: []EntryDecl{{Name: "p.v1"}, {Name: "p.v2"}}})
	require.Empty(t, c.Entries[0].Name)
}
