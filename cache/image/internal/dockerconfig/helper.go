package dockerconfig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	// helperPrefix begins the names of the programs.
	helperPrefix = "docker-credential-"
	// maxAnswer bounds what a helper may say.
	maxAnswer = 64 << 10
	// helperDelay is how long a helper that was asked to stop may keep its
	// output open.
	helperDelay = 20 * time.Millisecond
)

// ErrNotFound says that a helper has no credential for a host.
var ErrNotFound = errors.New("the helper has no credential")

// Ask asks a helper for the credential of a host: the program
// docker-credential-NAME, found in the folders of pathList, as PATH has them.
// No error says what the helper said.
func Ask(ctx context.Context, pathList, name, server string) (Auth, error) {
	if strings.ContainsAny(name, `/\`) || name == "" {
		return Auth{}, fmt.Errorf("%q cannot be the name of a credential helper", name)
	}
	program, err := find(pathList, helperPrefix+name)
	if err != nil {
		return Auth{}, err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(running, program, "get")
	cmd.WaitDelay = helperDelay
	cmd.Stdin = strings.NewReader(server)
	out := &bounded{left: maxAnswer, stop: stop}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return Auth{}, ctx.Err()
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && bytes.Contains(bytes.ToLower(out.kept.Bytes()), []byte("credentials not found")) {
			return Auth{}, ErrNotFound // so says the protocol of helpers
		}
		return Auth{}, fmt.Errorf("%s%s failed: %w", helperPrefix, name, err)
	}
	var answer struct{ Username, Secret string }
	if json.Unmarshal(out.kept.Bytes(), &answer) != nil {
		return Auth{}, fmt.Errorf("%s%s did not answer with a user name and a secret", helperPrefix, name)
	}
	if answer.Username == "" && answer.Secret == "" {
		return Auth{}, ErrNotFound
	}
	return Auth{Username: answer.Username, Password: answer.Secret}.withIdentity(), nil
}

func find(pathList, program string) (string, error) {
	names := []string{program}
	if runtime.GOOS == "windows" {
		names = append(names, program+".exe")
	}
	for _, dir := range filepath.SplitList(pathList) {
		for _, name := range names {
			file := filepath.Join(dir, name)
			info, err := os.Stat(file)
			if dir != "" && err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("there is no program %s in PATH", program)
}

// bounded keeps what it is given, until that is too much: then it ends whoever
// writes.
type bounded struct {
	kept bytes.Buffer // not embedded: its ReadFrom knows no bound
	left int
	stop func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		b.stop()
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(p)
}
