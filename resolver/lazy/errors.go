package lazy

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/seed109e2655/resolute/cache"
)

// ProviderError means that a provider failed or gave an answer that cannot be used. Nothing of
// that answer is kept: the next resolution asks again.
type ProviderError struct {
	// Catalog is the catalog of the provider.
	Catalog cache.Key
	// Package is the package that the error is about, the first one of the batch if the provider
	// does not tell them apart. It is empty for a query.
	Package string
	// Version is the name of the version that it is about; empty if it is about the package.
	Version string
	// Message says what is wrong with the answer; empty if the provider failed.
	Message string
	// Err is the error of the provider: that of a context if the time was over, and a
	// [*cache.PanicError] if it panicked.
	Err error
}

// Error names the catalog, the package, and the reason.
func (e *ProviderError) Error() string {
	var of []string
	for _, name := range []string{e.Version, e.Package} {
		if name != "" {
			of = append(of, name)
		}
	}
	if e.Catalog != (cache.Key{}) {
		of = append(of, "catalog "+e.Catalog.String())
	}
	reason := e.Message
	if e.Err != nil {
		reason = strings.TrimPrefix(reason+": ", ": ") + e.Err.Error()
	}
	return fmt.Sprintf("cannot read %s: %s", strings.Join(of, " of "), reason)
}

// Unwrap returns the error of the provider.
func (e *ProviderError) Unwrap() error { return e.Err }

// protect calls f and returns a panic as a [*cache.PanicError].
func protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &cache.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}
