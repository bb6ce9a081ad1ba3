package apiserver

import (
	"bufio"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/csv"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// User is a user with a token.
type User struct {
	Token, Name string
	Groups      []string
}

// Admin has all permissions.
func Admin() User { return User{Token: "admin", Name: "admin", Groups: []string{"system:masters"}} }

// ServiceAccount has the RBAC permissions of a service account.
func ServiceAccount(namespace, name string) User {
	return User{
		Token: "token-of-" + name, Name: "system:serviceaccount:" + namespace + ":" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace},
	}
}

// writeFiles writes the configuration of the API server.
func (s *Server) writeFiles(auditGroups []string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	var tokens strings.Builder
	w := csv.NewWriter(&tokens)
	for _, u := range s.users {
		if err := w.Write([]string{u.Token, u.Name, u.Name, strings.Join(u.Groups, ",")}); err != nil {
			return err
		}
	}
	w.Flush()
	for name, content := range map[string][]byte{
		"service-account.key": block,
		"tokens.csv":          []byte(tokens.String()),
		"audit.yaml":          auditPolicy(auditGroups),
	} {
		if err := os.WriteFile(s.path(name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// auditPolicy logs the writes to resources of some API groups. JSON is a
// subset of YAML.
func auditPolicy(groups []string) []byte {
	var resources []map[string]any
	for _, g := range groups {
		resources = append(resources, map[string]any{"group": g})
	}
	policy := map[string]any{
		"apiVersion": "audit.k8s.io/v1", "kind": "Policy",
		"omitStages": []string{"RequestReceived"},
		"rules": []map[string]any{
			{"level": "Metadata", "verbs": []string{"create", "update", "patch", "delete", "deletecollection"}, "resources": resources},
			{"level": "None"},
		},
	}
	// A map of strings and lists always encodes.
	data, _ := json.Marshal(policy)
	return data
}

// Write is an attempted write request.
type Write struct {
	Verb        string
	User        string
	Resource    string // "operatorsets/status"
	Namespace   string
	Name        string
	Code        int32
	RequestedAt string
}

// Writes returns the writes of a user in the audit log, in order.
func (s *Server) Writes(user User) ([]Write, error) {
	f, err := os.Open(s.path("audit.log"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Write
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var e struct {
			Verb                     string
			User                     struct{ Username string }
			ObjectRef                struct{ Resource, Subresource, Namespace, Name string }
			ResponseStatus           struct{ Code int32 }
			RequestReceivedTimestamp string
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("the audit log has a line that is not JSON: %w", err)
		}
		if e.User.Username != user.Name {
			continue
		}
		resource := e.ObjectRef.Resource
		if e.ObjectRef.Subresource != "" {
			resource += "/" + e.ObjectRef.Subresource
		}
		out = append(out, Write{e.Verb, user.Name, resource, e.ObjectRef.Namespace, e.ObjectRef.Name,
			e.ResponseStatus.Code, e.RequestReceivedTimestamp})
	}
	return out, lines.Err()
}

// WriteKubeconfig writes the kubeconfig of a user.
func (s *Server) WriteKubeconfig(path string, user User) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: s.host(), CertificateAuthority: s.caFile()}
	config.AuthInfos["test"] = &clientcmdapi.AuthInfo{Token: user.Token}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	config.CurrentContext = "test"
	return clientcmd.WriteToFile(*config, path)
}
