package view

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// maxLate bounds the changes, and the warnings of each round, that are shown of a stopped
// upgrade path: after the deadline, there is no time to write a large one.
const maxLate = 300

// late returns the shown part of a path and a note on the omitted part. Only large stopped
// paths are cut.
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
	return &cut, fmt.Sprintf("%s of %s not shown because the time limit was reached; -o json lists all",
		text.Count(changes-maxLate, "more change", "more changes"), text.Count(len(path.Rounds), "round", "rounds"))
}
