package catalogd

import "github.com/seed109e2655/resolute/cache/internal/watchdog"

// body is the body of an answer, with a limit.
type body struct {
	*watchdog.Body
	url  string
	max  int64 // negative for no limit
	read int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.max >= 0 && int64(len(p)) > b.max-b.read+1 {
		p = p[:b.max-b.read+1] // one more shows that there is more
	}
	n, err := b.Body.Read(p)
	if b.read += int64(n); b.max >= 0 && b.read > b.max {
		return 0, &SizeError{URL: b.url, Max: b.max}
	}
	return n, err
}
