package lock_test

import "context"

var ctx = context.Background()
