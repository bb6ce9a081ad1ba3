package cel

import (
	"math"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// The library keeps a few error values for all evaluations of a process, and
// writes into one where it first comes up, which is a data race when two
// evaluations use it at once. It does not write a second time. So each is
// brought up here, before there are goroutines.
var _ = [...]ref.Val{
	types.LabelErrNode(-1, types.NoSuchOverloadErr()),
	types.LabelErrNode(-1, types.Int(math.MaxInt64).ConvertToType(types.TimestampType)),
}
