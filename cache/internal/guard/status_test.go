package guard

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A requested wait is at most one day, and its date is relative to the server's clock, so that
// a jump of the local clock does not matter.
func TestWait(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	require.Zero(t, wait(http.StatusInternalServerError, http.Header{"Retry-After": {"7"}}, now))
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for name, test := range map[string]struct {
		after, date string
		want        time.Duration
	}{
		"nothing":                       {"", "", 0},
		"seconds":                       {" 7 ", "", 7 * time.Second},
		"many seconds":                  {"99999999", "", 24 * time.Hour},
		"too many seconds":              {"99999999999", "", 0},
		"negative":                      {"-1", "", 0},
		"garbage":                       {"soon", "", 0},
		"date":                          {at(time.Minute), "", time.Minute},
		"date in the past":              {at(-time.Minute), "", 0},
		"date far ahead":                {at(1000 * time.Hour), "", 24 * time.Hour},
		"our clock jumped ahead":        {at(-48*time.Hour + time.Minute), at(-48 * time.Hour), time.Minute},
		"our clock jumped back":         {at(48*time.Hour + time.Minute), at(48 * time.Hour), time.Minute},
		"the clock of the server lies":  {at(time.Minute), at(-1000 * time.Hour), 24 * time.Hour},
		"a date of the server is wrong": {at(time.Minute), "yesterday", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			h.Set("Retry-After", test.after)
			h.Set("Date", test.date)
			require.Equal(t, test.want, wait(http.StatusTooManyRequests, h, now))
		})
	}
}
