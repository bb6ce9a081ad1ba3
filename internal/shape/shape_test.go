package shape_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/shape"
)

func TestOf(t *testing.T) {
	type written struct{ A int }
	type form struct{ A string }
	require.Equal(t, reflect.TypeFor[written](), shape.Of(reflect.TypeFor[written]()))
	shape.Register[written, form]()
	require.Equal(t, reflect.TypeFor[form](), shape.Of(reflect.TypeFor[written]()))
	require.Equal(t, reflect.TypeFor[*written](), shape.Of(reflect.TypeFor[*written]()))
}
