package cache

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"
)

// check returns all mistakes in the configuration, joined.
func (c *Config) check() error {
	var errs []error
	whole := func(field, reason string) {
		errs = append(errs, &ConfigError{Index: alone, Field: field, Reason: reason})
	}
	if c.Parallel < 0 {
		whole("Parallel", fmt.Sprintf("%d is negative: set it to 0 for the default of %d", c.Parallel, defaultParallel))
	}
	if c.Grace < 0 {
		whole("Grace", negative(c.Grace, defaultGrace))
	}
	first := map[Key]int{}
	for i, s := range c.Sources {
		errs = append(errs, s.check(i)...)
		if j, ok := first[s.Key]; ok {
			errs = append(errs, &ConfigError{Index: i, Key: s.Key, Field: "Key",
				Reason: fmt.Sprintf("source number %d already has this key: keys must be unique", j+1)})
			continue
		}
		first[s.Key] = i
	}
	return errors.Join(errs...)
}

// check returns all mistakes in the configuration of the source with that index.
func (s *SourceConfig) check(index int) []error {
	var errs []error
	wrong := func(field, reason string) {
		errs = append(errs, &ConfigError{Index: index, Key: s.Key, Field: field, Reason: reason})
	}
	if k, err := ParseKey(s.Key.String()); err != nil || k != s.Key {
		wrong("Key", "a key needs a namespace and a name, both without a slash, for example olm and community")
	}
	if s.Source == nil {
		wrong("Source", "it is missing: set it to the source of the catalog")
	}
	if math.IsNaN(s.Jitter) || s.Jitter > 1 {
		wrong("Jitter", fmt.Sprintf("%v is out of range: set a fraction of Refresh from 0 to 1, or a negative number for no jitter", s.Jitter))
	}
	if s.Timeout < 0 {
		wrong("Timeout", negative(s.Timeout, defaultTimeout))
	}
	if s.Backoff.Min < 0 {
		wrong("Backoff.Min", negative(s.Backoff.Min, defaultBackoffMin))
	}
	if s.Backoff.Max < 0 {
		wrong("Backoff.Max", negative(s.Backoff.Max, defaultBackoffMax))
	}
	if s.Backoff.Max > 0 && s.Backoff.Min > s.Backoff.Max {
		wrong("Backoff", fmt.Sprintf("Min %s exceeds Max %s: swap them", s.Backoff.Min, s.Backoff.Max))
	}
	return errs
}

func negative(d, standard time.Duration) string {
	return fmt.Sprintf("%s is negative: set it to 0 for the default of %s", d, standard)
}

func (c Config) withDefaults() Config {
	c.Parallel = cmp.Or(c.Parallel, defaultParallel)
	c.Grace = cmp.Or(c.Grace, defaultGrace)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = noMetrics{}
	}
	c.Sources = slices.Clone(c.Sources)
	return c
}

func (s SourceConfig) withDefaults() SourceConfig {
	s.Refresh = cmp.Or(s.Refresh, defaultRefresh)
	s.Jitter = max(cmp.Or(s.Jitter, defaultJitter), 0)
	s.Timeout = cmp.Or(s.Timeout, defaultTimeout)
	switch b := &s.Backoff; {
	case b.Min == 0 && b.Max == 0:
		*b = Backoff{defaultBackoffMin, defaultBackoffMax}
	case b.Min == 0:
		b.Min = min(defaultBackoffMin, b.Max)
	case b.Max == 0:
		b.Max = max(defaultBackoffMax, b.Min)
	}
	return s
}
