package argument_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// kinds and reasons are what the bytes of a fuzz test stand for.
var (
	kinds = []argument.FactKind{argument.FactSubscription, argument.FactInstalled, argument.FactForced, argument.FactConstraint,
		argument.FactNoCandidate, argument.FactPackage, argument.FactQuarantined, argument.FactForbidden, "unknown"}
	reasons = []argument.Rejection{argument.RejectedByConstraint, argument.RejectedByProhibition, argument.RejectedByPackage,
		argument.RejectedBySubscription, argument.RejectedForbidden, argument.RejectedQuarantined, argument.NearMissVersion, "unknown"}
)

// factsOf makes facts of bytes: three for a fact, then four for each of its candidates,
// which refer to facts and parts that may not be there.
func factsOf(data []byte) []argument.Fact {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	names := []string{"", "a", "b.v1", "c.v2", "\x1b[31m"}
	var facts []argument.Fact
	for len(data) > 0 {
		f := argument.Fact{Kind: kinds[next()%len(kinds)], Omitted: next() % 2}
		f.Subject = names[next()%len(names)]
		f.Bundle, f.Subscription, f.Text = f.Subject, f.Subject, "about "+f.Subject
		for range f.Omitted {
			f.Parts = append(f.Parts, argument.Part{Nothing: "nothing is " + f.Subject})
		}
		for range next() % 4 {
			r := argument.Rejected{Bundle: names[next()%len(names)], Reason: reasons[next()%len(reasons)], Part: next()%4 - 1}
			if by := next(); by%5 > 0 {
				r.By = []int{by%8 - 1, by / 32}
				r.Beside = map[int][]string{by % 8: {names[by%len(names)]}}
			}
			f.Candidates = append(f.Candidates, r)
		}
		facts = append(facts, f)
	}
	return facts
}

// FuzzOf: whatever facts refer to, an argument is made of them, each is stated, and they
// are not changed.
func FuzzOf(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 2, 0, 0, 33, 3, 0, 2, 1, 3, 1, 3, 7})
	f.Add([]byte{1, 1, 2, 3, 1, 1, 2, 255, 2, 2, 0, 129, 3, 3, 3, 3, 5, 0, 1, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4000 {
			return
		}
		facts := factsOf(data)
		before := testkit.Must(json.Marshal(facts))(t)
		a := argument.Of(facts)
		require.NotEmpty(t, a.Headline)
		stated := make(map[int]bool)
		a.Walk(func(_ int, s *argument.Statement) {
			for _, i := range s.Facts {
				require.Less(t, i, len(facts))
				stated[i] = true
			}
		})
		if a.Omitted == 0 {
			require.Len(t, stated, len(facts))
		}
		require.NotContains(t, a.Text()+a.HTML()+testkit.Written(t, draw.Conflict(a).WriteDOT)+testkit.Written(t, draw.Conflict(a).WriteMermaid), "\x1b")
		after := testkit.Must(json.Marshal(facts))(t)
		require.Equal(t, string(before), string(after))
	})
}
