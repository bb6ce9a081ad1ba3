package apiserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/client-go/rest"
)

// readyTimeout limits a start, which usually takes some seconds.
const readyTimeout = 90 * time.Second

// Server is an API server with its etcd.
type Server struct {
	binaries  Binaries
	dir       string
	users     []User
	etcdURL   string
	peerURL   string
	port      int
	etcd, api *Process
}

// Start starts both with an empty store. All files are in dir; Stop ends both.
// RBAC authorizes requests, and the audit log has all writes to resources of
// the audited API groups.
func Start(ctx context.Context, binaries Binaries, dir string, users []User, auditGroups ...string) (*Server, error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	s := &Server{binaries: binaries, dir: dir, users: users, port: ports[2],
		etcdURL: fmt.Sprintf("http://127.0.0.1:%d", ports[0]), peerURL: fmt.Sprintf("http://127.0.0.1:%d", ports[1])}
	if err := s.writeFiles(auditGroups); err != nil {
		return nil, err
	}
	s.etcd, err = StartProcess(s.path("etcd.log"), binaries.Etcd,
		"--data-dir="+s.path("etcd"), "--name=only",
		"--listen-client-urls="+s.etcdURL, "--advertise-client-urls="+s.etcdURL,
		"--listen-peer-urls="+s.peerURL, "--initial-advertise-peer-urls="+s.peerURL,
		"--initial-cluster=only="+s.peerURL, "--log-level=error")
	if err != nil {
		return nil, err
	}
	if err := await(ctx, s.etcd, func(ctx context.Context) error {
		return get(ctx, http.DefaultClient, s.etcdURL+"/health")
	}); err != nil {
		s.Stop()
		return nil, err
	}
	if err := s.StartAPI(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// StartAPI starts the API server on the store and waits until it is ready.
func (s *Server) StartAPI(ctx context.Context) error {
	var err error
	s.api, err = StartProcess(s.path("kube-apiserver.log"), s.binaries.APIServer,
		"--etcd-servers="+s.etcdURL,
		"--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(s.port), "--cert-dir="+s.path("certs"),
		"--token-auth-file="+s.path("tokens.csv"), "--authorization-mode=RBAC",
		"--disable-admission-plugins=ServiceAccount",
		"--service-account-issuer=https://127.0.0.1:"+strconv.Itoa(s.port),
		"--service-account-key-file="+s.path("service-account.key"),
		"--service-account-signing-key-file="+s.path("service-account.key"),
		"--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none",
		"--audit-policy-file="+s.path("audit.yaml"), "--audit-log-path="+s.path("audit.log"), "--audit-log-mode=blocking-strict")
	if err != nil {
		return err
	}
	return await(ctx, s.api, func(ctx context.Context) error {
		// The API server creates its certificate on the first start.
		pem, err := os.ReadFile(s.caFile())
		if err != nil {
			return err
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(pem)
		client := &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true,
		}}
		return get(ctx, client, s.host()+"/readyz")
	})
}

// KillAPI kills the API server (kill -9). The store keeps running.
func (s *Server) KillAPI() { s.api.Kill() }

// Stop kills both. Their files stay.
func (s *Server) Stop() {
	for _, p := range []*Process{s.api, s.etcd} {
		if p != nil {
			p.Kill()
		}
	}
}

// Config returns the client configuration of a user.
func (s *Server) Config(user User) *rest.Config {
	return &rest.Config{
		Host: s.host(), BearerToken: user.Token, TLSClientConfig: rest.TLSClientConfig{CAFile: s.caFile()},
		// A test sends many requests and is the only client.
		QPS: -1,
	}
}

func (s *Server) host() string            { return fmt.Sprintf("https://127.0.0.1:%d", s.port) }
func (s *Server) path(name string) string { return filepath.Join(s.dir, name) }
func (s *Server) caFile() string          { return s.path("certs/apiserver.crt") }

// await retries until a process is ready. The error has the end of its log.
func await(ctx context.Context, p *Process, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		if last = try(ctx); last == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-p.Done():
			return fmt.Errorf("%s ended: %w\n%s", filepath.Base(p.cmd.Path), p.err, p.Log())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w\n%s", filepath.Base(p.cmd.Path), errors.Join(ctx.Err(), last), p.Log())
		}
	}
}

// get requires status 200 from a URL.
func get(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s\n%s", url, resp.Status, body)
	}
	return nil
}

// freePorts returns currently unused ports of loopback.
func freePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		// Held until all are found, so that they differ.
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// FreeAddress returns a currently unused address of loopback.
func FreeAddress() (string, error) {
	ports, err := freePorts(1)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("127.0.0.1:%d", ports[0]), nil
}
