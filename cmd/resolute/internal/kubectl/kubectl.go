// Package kubectl reads a running cluster with kubectl, using its configuration and
// credentials.
package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/resolver/olm"
)

// IsPlugin reports whether the program was started as `kubectl resolute`.
func IsPlugin(args []string) bool {
	if len(args) == 0 {
		return false
	}
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	return name == "kubectl-resolute" || name == "kubectl_resolute"
}

// Client reads objects of a cluster with kubectl.
type Client struct {
	// Program is the kubectl executable. Context and Kubeconfig are passed as flags if set.
	Program, Context, Kubeconfig string
	// APIs makes CustomResourceDefinitions mandatory.
	APIs bool
	// Warn is called for each optional resource that cannot be read.
	Warn func(message string)
}

// query is a kind of objects to read.
type query struct {
	resource string
	selector string
	required bool // the capture fails without it
}

// queries returns the objects of a capture. Copied CSVs, the bulk of the objects in a cluster,
// are excluded.
func queries(apis bool) []query {
	return []query{
		{resource: "subscriptions.operators.coreos.com", required: true},
		{resource: "clusterserviceversions.operators.coreos.com", selector: "!olm.copiedFrom", required: true},
		{resource: "operatorgroups.operators.coreos.com", required: true},
		{resource: "catalogsources.operators.coreos.com", required: true},
		{resource: "installplans.operators.coreos.com", required: true},
		{resource: "operatorconditions.operators.coreos.com"},
		{resource: "clusterextensions.olm.operatorframework.io"},
		{resource: "clustercatalogs.olm.operatorframework.io"},
		{resource: "clusterversions.config.openshift.io"},
		{resource: "infrastructures.config.openshift.io"},
		{resource: "nodes"},
		{resource: "serviceaccounts"},
		{resource: "pods", selector: "olm.catalogSource"}, // catalog pods only
		{resource: "customresourcedefinitions.apiextensions.k8s.io", required: apis},
	}
}

// Read reads the objects of a running cluster and changes nothing.
func (c *Client) Read(ctx context.Context, cluster *olm.Cluster) error {
	var base []string
	if c.Context != "" {
		base = append(base, "--context="+c.Context)
	}
	if c.Kubeconfig != "" {
		base = append(base, "--kubeconfig="+c.Kubeconfig)
	}
	var missing []error
	answered := false
	for _, q := range queries(c.APIs) {
		args := slices.Concat(base, []string{"get", q.resource, "--all-namespaces", "--output=json"})
		if q.selector != "" {
			args = append(args, "--selector="+q.selector)
		}
		err := run(ctx, c.Program, args, cluster)
		var refused *commandError
		switch {
		case err == nil:
			answered = answered || q.required
		case !errors.As(err, &refused):
			return err
		case refused.lacksResource():
			if q.required {
				missing = append(missing, err) // the cluster may have only OLM v1
			}
		case q.required:
			return err
		default:
			c.Warn(fmt.Sprintf("continuing without %s: %v", q.resource, err))
		}
	}
	if len(missing) > 0 && answered {
		return missing[0]
	}
	return nil
}

// commandError is a failed run of kubectl.
type commandError struct {
	program string
	args    []string
	stderr  string
	err     error
}

// Error implements error.
func (e *commandError) Error() string {
	stderr := strings.TrimSpace(e.stderr)
	if stderr == "" {
		stderr = e.err.Error()
	}
	return fmt.Sprintf("%s %s: %s", e.program, strings.Join(e.args, " "), stderr)
}

// Unwrap returns the exit error of the process.
func (e *commandError) Unwrap() error { return e.err }

// lacksResource reports whether the cluster does not have the resource type.
func (e *commandError) lacksResource() bool {
	return strings.Contains(e.stderr, "the server doesn't have a resource type")
}

// maxStderr bounds the standard error that is kept, in bytes.
const maxStderr = 8 << 10

// run runs kubectl and adds its output to the cluster. It is interrupted when the context ends.
func run(ctx context.Context, program string, args []string, cluster *olm.Cluster) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // kubectl must not block on unread output
	run := exec.CommandContext(ctx, program, args...)
	stderr := &prefixWriter{most: maxStderr}
	run.Stderr = stderr
	out, err := run.StdoutPipe()
	if err != nil {
		return err
	}
	if err := run.Start(); err != nil {
		return fmt.Errorf("--live requires kubectl, but %s cannot be run: %w", program, err)
	}
	readErr := cluster.Read(ctx, out, program+" "+strings.Join(args, " "))
	if errors.As(readErr, new(*olm.EmptyError)) {
		readErr = nil // empty lists are valid
	}
	if readErr != nil {
		cancel()
	}
	if err := run.Wait(); err != nil && readErr == nil {
		return &commandError{program, args, stderr.String(), err}
	}
	return readErr
}

// prefixWriter keeps the first bytes written to it.
type prefixWriter struct {
	bytes.Buffer
	most int
}

// Write implements io.Writer.
func (t *prefixWriter) Write(p []byte) (int, error) {
	t.Buffer.Write(p[:min(len(p), max(0, t.most-t.Len()))])
	return len(p), nil
}
