//go:build !linux

package disk_test

import "testing"

func smallDisk(t *testing.T) string {
	t.Skip("needs a small tmpfs, which requires Linux")
	return ""
}

func makeReadOnly(t *testing.T, _ string) { t.Skip("needs Linux") }

func isFull(error) bool     { return false }
func isReadOnly(error) bool { return false }
