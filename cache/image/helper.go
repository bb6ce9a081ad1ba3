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
	// helperPrefix is the prefix of helper program names.
	helperPrefix = "docker-credential-"
	// maxAnswer is the maximum output of a helper in bytes.
	maxAnswer = 64 << 10
	// helperDelay is how long a canceled helper may keep its output open.
	helperDelay = 20 * time.Millisecond
)

// errNoCredential reports that a helper has no credential for a host.
var errNoCredential = errors.New("the helper has no credential")

// runHelper runs a helper to get the credential of a host: the program docker-credential-NAME,
// found in the directories of pathList, which has the format of PATH. No error quotes the
// helper's output.
func runHelper(ctx context.Context, pathList, name, server string) (c Credential, err error) {
	if strings.ContainsAny(name, `/\`) || name == "" {
		return c, fmt.Errorf("%q is not a valid name of a credential helper", name)
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
	out := &boundedOutput{remaining: maxAnswer, stop: stop}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && bytes.Contains(bytes.ToLower(out.buf.Bytes()), []byte("credentials not found")) {
			return c, errNoCredential // part of the helper protocol
		}
		return c, fmt.Errorf("%s%s failed: %w", helperPrefix, name, err)
	}
	var answer struct{ Username, Secret string }
	if json.Unmarshal(out.buf.Bytes(), &answer) != nil {
		return c, fmt.Errorf("%s%s did not print a user name and a secret", helperPrefix, name)
	}
	if answer.Username == "" && answer.Secret == "" {
		return c, errNoCredential
	}
	c.Username, c.Password = answer.Username, answer.Secret
	return c.withIdentity(), nil
}

// findHelper returns the path of a program in one of the directories of a list.
func findHelper(pathList, program string) (string, error) {
	for _, dir := range filepath.SplitList(pathList) {
		if found, err := exec.LookPath(dir + "/" + program); dir != "" && err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("program %s not found in PATH", program)
}

// boundedOutput buffers output up to a limit, then stops the writer.
type boundedOutput struct {
	buf       bytes.Buffer // not embedded: its ReadFrom is unbounded
	remaining int
	stop      func()
}

func (b *boundedOutput) Write(p []byte) (int, error) {
	if b.remaining -= len(p); b.remaining < 0 {
		b.stop()
		return 0, io.ErrShortWrite
	}
	return b.buf.Write(p)
}
