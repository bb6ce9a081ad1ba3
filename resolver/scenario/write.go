package scenario

import (
	"bytes"
	"fmt"
	"io"

	"github.com/seed109e2655/resolute/internal/readable"
)

// Write writes the scenario as readable YAML. Reading it returns the same scenario, without the
// comments of its file. Paths of catalogs are written unchanged, relative to the location of the
// output. The output of encoding/json for a scenario is equivalent.
//
// The error is that of the writer, or names a part that is not JSON.
func (s *Scenario) Write(w io.Writer) error {
	var out bytes.Buffer
	if err := readable.Write(&out, s); err != nil {
		return fmt.Errorf("the scenario cannot be written: %w", err)
	}
	_, err := out.WriteTo(w)
	return err
}
