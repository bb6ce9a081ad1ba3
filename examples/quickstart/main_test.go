package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
)

func Example() {
	err := install(context.Background(), os.Stdout, "../catalogs/community", "rabbitmq-messaging-topology-operator")
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// wave 0: install cert-manager.v1.16.5
	// wave 0: install rabbitmq-cluster-operator.v2.22.3
	// wave 1: install rabbitmq-messaging-topology-operator.v1.19.3
}

func TestUnknownPackageIsAConflict(t *testing.T) {
	err := install(context.Background(), io.Discard, "../catalogs/community", "no-such-operator")
	var conflict *resolver.Conflict
	require.True(t, errors.As(err, &conflict), "got %v", err)
	require.Equal(t, "no-such-operator", conflict.Facts[len(conflict.Facts)-1].Subject)
}

func TestMissingCatalogIsAnError(t *testing.T) {
	require.Error(t, install(context.Background(), io.Discard, "no-such-directory", "etcd"))
}
