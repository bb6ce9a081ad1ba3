package view

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// maxLate bounds the changes, and the warnings of each round, that are shown of an upgrade path
// that was stopped: the time is over, and showing more of a large one takes longer than the
// work may go on.
const maxLate = 300

// late returns what is shown of a path, and in words what is not. Only a large path that was
// stopped is cut.
func late(path *scenario.Path) (shown *scenario.Path, omitted string) {
	if path.Status != scenario.Incomplete {
		return path, ""
	}
	changes := 0
	for _, r := range path.Rounds {
		for i := range r.Steps {
			if r.Steps[i].Action != resolver.Keep {
				changes++
			}
		}
	}
	cut := *path
	cut.Rounds = nil
	left := maxLate
	for _, r := range path.Rounds {
		if left == 0 {
			break
		}
		short := *r
		short.Steps, short.Set = nil, nil
		short.Warnings = r.Warnings[:min(len(r.Warnings), maxLate)]
		for i := 0; i < len(r.Steps) && left > 0; i++ {
			if r.Steps[i].Action != resolver.Keep {
				short.Steps = append(short.Steps, r.Steps[i])
				left--
			}
		}
		cut.Rounds = append(cut.Rounds, &short)
	}
	if changes <= maxLate {
		return path, ""
	}
	return &cut, fmt.Sprintf("%s of %s not shown, because the time was over; -o json has all of them",
		text.Count(changes-maxLate, "more change", "more changes"), text.Count(len(path.Rounds), "round", "rounds"))
}
