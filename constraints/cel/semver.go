package cel

import (
	"fmt"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/seed109e2655/resolute/properties"
)

// functionSemver is the function added by Operator Lifecycle Manager.
const functionSemver = "semver_compare"

// maxSemver is the maximum length of a version; longer ones are rejected without parsing.
const maxSemver = 256

// paySemver charges for parsing two versions. Identifiers of one letter take ten times as long
// as other strings of the same length.
func paySemver(m *meter, left, right ref.Val) error {
	m.charge(min(textSize(left), maxSemver) + min(textSize(right), maxSemver))
	return nil
}

// semverCompare implements semver_compare.
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
