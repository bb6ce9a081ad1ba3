package cel

import (
	"math"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// The library shares a few error values between all evaluations of a process, and writes to
// each on its first use, which is a data race between concurrent evaluations. It does not write
// again, so each is used here during initialization.
var _ = [...]ref.Val{
	types.LabelErrNode(-1, types.NoSuchOverloadErr()),
	types.LabelErrNode(-1, types.Int(math.MaxInt64).ConvertToType(types.TimestampType)),
}
