package cel

import (
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/seed109e2655/resolute/properties"
)

// functionSemver is the function that Operator Lifecycle Manager adds.
const functionSemver = "semver_compare"

// maxSemver is the length of a version beyond which it is refused without a look at it.
const maxSemver = 256

// paySemver is for parsing two versions: identifiers of a letter each take ten times as long
// as other texts of that length.
func paySemver(m *meter, left, right ref.Val) error {
	m.charge(min(textSize(left), maxSemver) + min(textSize(right), maxSemver))
	return nil
}

// semverCompare is the function semver_compare of the rule language.
func semverCompare(a, b ref.Val) ref.Val {
	left, okLeft := a.(types.String)
	right, okRight := b.(types.String)
	if !okLeft || !okRight {
		return types.MaybeNoSuchOverloadErr(a)
	}
	l, err := properties.ParseVersion(string(left))
	if err != nil {
		return types.WrapErr(fmt.Errorf("semver_compare: the first argument %w", err))
	}
	r, err := properties.ParseVersion(string(right))
	if err != nil {
		return types.WrapErr(fmt.Errorf("semver_compare: the second argument %w", err))
	}
	return types.Int(l.Compare(r))
}
