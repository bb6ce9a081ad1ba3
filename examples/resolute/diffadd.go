package main

import (
	"context"
	"errors"

	"github.com/seed109e2655/resolute/resolver"
)

func (a *app) withAdded(_ context.Context, _ string, _ []string) (old, now resolver.Catalog, root string, err error) {
	return old, now, "", errors.New("todo")
}
