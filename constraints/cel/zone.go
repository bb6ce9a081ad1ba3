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

// priceOfTime is for the parts of a time or duration. The second argument is
// the zone in which they are wanted.
func priceOfTime(m *meter, _, zone ref.Val) error {
	m.charge(1)
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
func toTimestamp(_ *meter, v, _ ref.Val) ref.Val {
	s, ok := v.(types.String)
	if !ok {
		return convert(v, types.TimestampType)
	}
	cut := len(s) - len("+00:00")
	if cut < 0 || s[cut] != '+' && s[cut] != '-' {
		return convert(v, types.TimestampType)
	}
	offset, err := time.Parse("15:04", string(s[cut+1:]))
	utc, ok := convert(s[:cut]+"Z", types.TimestampType).(types.Timestamp)
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

// convert converts what can be converted to a type.
func convert(v ref.Val, t ref.Type) ref.Val {
	switch v.Type() {
	case types.StringType, types.IntType, types.TimestampType:
		return v.ConvertToType(t)
	}
	return types.MaybeNoSuchOverloadErr(v)
}
