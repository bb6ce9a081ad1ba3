package apiserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Version is the version of the API server that apiserver.sh builds.
const Version = "v1.36.3"

// Binaries are the programs to run.
type Binaries struct {
	APIServer, Etcd string
}

// MissingError reports a missing program.
type MissingError struct {
	Program string
	Err     error
}

// Error names the program and how to get it.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s not found (%v): run apiserver.sh in examples/controller to install it, or test.sh to run the tests with it", e.Program, e.Err)
}

// Unwrap returns the cause.
func (e *MissingError) Unwrap() error { return e.Err }

// Find locates the programs by the environment variables that apiserver.sh
// prints, or else in its cache. The error is a *MissingError.
func Find() (Binaries, error) {
	var b Binaries
	var err error
	if b.APIServer, err = find("RESOLUTE_KUBE_APISERVER", "kube-apiserver-"+Version+"/kube-apiserver"); err != nil {
		return b, &MissingError{"kube-apiserver " + Version, err}
	}
	b.Etcd, err = find("RESOLUTE_ETCD", "etcd/etcd")
	if err != nil && os.Getenv("RESOLUTE_ETCD") == "" {
		b.Etcd, err = exec.LookPath("etcd")
	}
	if err != nil {
		return b, &MissingError{"etcd", err}
	}
	return b, nil
}

// find returns the program that an environment variable names, or the one in
// the cache.
func find(variable, name string) (string, error) {
	if path := os.Getenv(variable); path != "" {
		return exec.LookPath(path)
	}
	dir := os.Getenv("RESOLUTE_CACHE")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(base, "resolute")
	}
	return exec.LookPath(filepath.Join(dir, name))
}
