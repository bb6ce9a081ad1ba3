package cel

import (
	"errors"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// A rule gives the same answer on every machine. The library asks the host
// for time zones: for those that a rule names, which may be any path below the
// folders with zones, and for its own, which "Local" names and which a time
// with an offset is compared with. Here, a zone is UTC or an offset.

// maxZone bounds the text of a zone: "-23:59".
const maxZone = 6

// errZone says what to use in place of a named zone.
var errZone = errors.New(`time zones with names are not available, for they differ between machines: use "UTC", or an offset from it as "+02:00"`)

// checkZone is for the parts of a time or duration. The second argument is the
// zone in which they are wanted.
func checkZone(_ *meter, _, zone ref.Val) error {
	name, ok := zone.(types.String)
	if !ok || name == "" || name == "UTC" { // what is not a text is refused by the library
		return nil
	}
	if len(name) > maxZone || !strings.Contains(string(name), ":") {
		return errZone
	}
	return nil
}

// toTimestamp converts to a timestamp. The library looks whether the offset of
// a text is that of the host's zone at that time, and would then go on to
// calculate in that zone; here, an offset stays an offset.
func toTimestamp(m *meter, v, _ ref.Val, call func() ref.Val) ref.Val {
	if err := payScalar(m, v, nil); err != nil {
		return types.WrapErr(err)
	}
	s, _ := v.(types.String)
	cut := len(s) - len("+00:00")
	if cut < 0 || s[cut] != '+' && s[cut] != '-' {
		return call()
	}
	offset, err := time.Parse("15:04", string(s[cut+1:]))
	utc, ok := (s[:cut] + "Z").ConvertToType(types.TimestampType).(types.Timestamp)
	if err != nil || !ok {
		return types.NewErr("invalid RFC 3339 timestamp %q", string(s))
	}
	east := offset.Hour()*3600 + offset.Minute()*60
	if s[cut] == '-' {
		east = -east
	}
	// Shifted by way of the library, which knows the range of timestamps.
	shifted := utc.Subtract(types.Duration{Duration: time.Duration(east) * time.Second})
	if t, ok := shifted.(types.Timestamp); ok {
		return types.Timestamp{Time: t.In(time.FixedZone("", east))}
	}
	return shifted
}
