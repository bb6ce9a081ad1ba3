// Package seed fixes the random seed of the property tests of a package, so
// that every run of one tree checks the same cases. Test packages that use
// rapid import it.
//
// The environment variable RESOLUTE_SEED sets another seed. rapid's own
// settings, the flag -rapid.seed and the variable RAPID_SEED, take precedence.
package seed

import (
	"flag"
	"fmt"
	"os"
	"strconv"

	_ "pgregory.net/rapid" // declares the flag
)

// Variable is the environment variable that sets the seed, a number from 1.
const Variable = "RESOLUTE_SEED"

const fixed = 1

// Seed returns the seed of this run.
func Seed() (uint64, error) {
	text := os.Getenv(Variable)
	if text == "" {
		return fixed, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%s=%q is not a seed: set a number from 1", Variable, text)
	}
	return n, nil
}

func init() {
	n, err := Seed()
	if err == nil && os.Getenv("RAPID_SEED") == "" {
		err = flag.Set("rapid.seed", strconv.FormatUint(n, 10))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
