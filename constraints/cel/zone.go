package cel

import (
	"errors"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// A rule has the same result on every machine. The library uses the host's time zones: those
// named in a rule, which may be any path below the zone directories, and the local zone, named
// "Local", which is also compared with timestamps that have an offset. In this package a zone
// is UTC or an offset.

// maxZone is the maximum length of a zone: "-23:59".
const maxZone = 6

// errZone is the error of a named zone.
var errZone = errors.New(`named time zones are not available because they differ between machines: use "UTC" or an offset such as "+02:00"`)

// checkZone checks the zone argument of the functions that return parts of a time or duration.
func checkZone(_ *meter, _, zone ref.Val) error {
	name, ok := zone.(types.String)
	if !ok || name == "" || name == "UTC" { // the library rejects other types
		return nil
	}
	if len(name) > maxZone || !strings.Contains(string(name), ":") {
		return errZone
	}
	return nil
}

// toTimestamp converts to a timestamp. The library checks whether the offset of a string equals
// that of the local zone at that time, and if so calculates in the local zone. Here an offset
// stays an offset.
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
	// The library's subtraction checks the range of timestamps.
	shifted := utc.Subtract(types.Duration{Duration: time.Duration(east) * time.Second})
	if t, ok := shifted.(types.Timestamp); ok {
		return types.Timestamp{Time: t.In(time.FixedZone("", east))}
	}
	return shifted
}
