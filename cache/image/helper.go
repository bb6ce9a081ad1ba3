package image

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
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

// errNoCredential says that a helper has no credential for a host.
var errNoCredential = errors.New("the helper has no credential")

// askHelper asks a helper for the credential of a host: the program
// docker-credential-NAME, found in the folders of pathList, as PATH has them.
// No error says what the helper said.
func askHelper(ctx context.Context, pathList, name, server string) (c Credential, err error) {
	if strings.ContainsAny(name, `/\`) || name == "" {
		return c, fmt.Errorf("%q cannot be the name of a credential helper", name)
	}
	program, err := findHelper(pathList, helperPrefix+name)
	if err != nil {
		return c, err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(running, program, "get")
	cmd.WaitDelay = helperDelay
	cmd.Stdin = strings.NewReader(server)
	out := &boundedOutput{left: maxAnswer, stop: stop}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && bytes.Contains(bytes.ToLower(out.kept.Bytes()), []byte("credentials not found")) {
			return c, errNoCredential // so says the protocol of helpers
		}
		return c, fmt.Errorf("%s%s failed: %w", helperPrefix, name, err)
	}
	var answer struct{ Username, Secret string }
	if json.Unmarshal(out.kept.Bytes(), &answer) != nil {
		return c, fmt.Errorf("%s%s did not answer with a user name and a secret", helperPrefix, name)
	}
	if answer.Username == "" && answer.Secret == "" {
		return c, errNoCredential
	}
	c.Username, c.Password = answer.Username, answer.Secret
	return c.withIdentity(), nil
}

// findHelper returns the path of a program in one of the folders of a list.
func findHelper(pathList, program string) (string, error) {
	for _, dir := range filepath.SplitList(pathList) {
		if found, err := exec.LookPath(dir + "/" + program); dir != "" && err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("there is no program %s in PATH", program)
}

// boundedOutput keeps what it is given, until that is too much: then it ends whoever
// writes.
type boundedOutput struct {
	kept bytes.Buffer // not embedded: its ReadFrom knows no bound
	left int
	stop func()
}

func (b *boundedOutput) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		b.stop()
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(p)
}
