// Package kubectl reads a running cluster with the user's kubectl, whose configuration and
// credentials it uses.
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
	// Program is kubectl, and Context and Kubeconfig are its flags, where they are set.
	Program, Context, Kubeconfig string
	// APIs says that the capture cannot do without the definitions of custom resources.
	APIs bool
	// Warn is called with what the capture goes on without.
	Warn func(message string)
}

// question is one kind of objects to get.
type question struct {
	resource string
	selector string
	needed   bool // the answer cannot do without
}

// questions are the objects of a capture. Copied CSVs, the bulk of a cluster's objects,
// are excluded.
func questions(apis bool) []question {
	return []question{
		{resource: "subscriptions.operators.coreos.com", needed: true},
		{resource: "clusterserviceversions.operators.coreos.com", selector: "!olm.copiedFrom", needed: true},
		{resource: "operatorgroups.operators.coreos.com", needed: true},
		{resource: "catalogsources.operators.coreos.com", needed: true},
		{resource: "installplans.operators.coreos.com", needed: true},
		{resource: "operatorconditions.operators.coreos.com"},
		{resource: "clusterextensions.olm.operatorframework.io"},
		{resource: "clustercatalogs.olm.operatorframework.io"},
		{resource: "clusterversions.config.openshift.io"},
		{resource: "infrastructures.config.openshift.io"},
		{resource: "nodes"},
		{resource: "serviceaccounts"},
		{resource: "pods", selector: "olm.catalogSource"}, // those of catalogs
		{resource: "customresourcedefinitions.apiextensions.k8s.io", needed: apis},
	}
}

// Read reads the objects of a running cluster. Nothing is changed there.
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
	for _, q := range questions(c.APIs) {
		args := slices.Concat(base, []string{"get", q.resource, "--all-namespaces", "--output=json"})
		if q.selector != "" {
			args = append(args, "--selector="+q.selector)
		}
		err := ask(ctx, c.Program, args, cluster)
		var refused *refusedError
		switch {
		case err == nil:
			answered = answered || q.needed
		case !errors.As(err, &refused):
			return err
		case refused.lacksResource():
			if q.needed {
				missing = append(missing, err) // a cluster may have OLM v1 alone
			}
		case q.needed:
			return err
		default:
			c.Warn(fmt.Sprintf("going on without %s: %v", q.resource, err))
		}
	}
	if len(missing) > 0 && answered {
		return missing[0]
	}
	return nil
}

// refusedError says that kubectl failed.
type refusedError struct {
	program string
	args    []string
	said    string
	err     error
}

// Error implements error.
func (e *refusedError) Error() string {
	said := strings.TrimSpace(e.said)
	if said == "" {
		said = e.err.Error()
	}
	return fmt.Sprintf("%s %s: %s", e.program, strings.Join(e.args, " "), said)
}

// Unwrap returns how the program ended.
func (e *refusedError) Unwrap() error { return e.err }

// lacksResource reports whether the cluster does not know such objects.
func (e *refusedError) lacksResource() bool {
	return strings.Contains(e.said, "the server doesn't have a resource type")
}

// maxSaid bounds the standard error of kubectl that is kept, in bytes.
const maxSaid = 8 << 10

// ask returns the output of kubectl, which is interrupted when the context ends.
func ask(ctx context.Context, program string, args []string, cluster *olm.Cluster) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // or it would wait for somebody to read on
	run := exec.CommandContext(ctx, program, args...)
	said := &beginning{most: maxSaid}
	run.Stderr = said
	out, err := run.StdoutPipe()
	if err != nil {
		return err
	}
	if err := run.Start(); err != nil {
		return fmt.Errorf("%s cannot be run, which --live needs: %w", program, err)
	}
	readErr := cluster.Read(ctx, out, program+" "+strings.Join(args, " "))
	if errors.As(readErr, new(*olm.EmptyError)) {
		readErr = nil // there may be none of a kind
	}
	if readErr != nil {
		cancel()
	}
	if err := run.Wait(); err != nil && readErr == nil {
		return &refusedError{program, args, said.String(), err}
	}
	return readErr
}

// beginning keeps the first bytes written to it.
type beginning struct {
	bytes.Buffer
	most int
}

// Write implements io.Writer.
func (t *beginning) Write(p []byte) (int, error) {
	t.Buffer.Write(p[:min(len(p), max(0, t.most-t.Len()))])
	return len(p), nil
}
