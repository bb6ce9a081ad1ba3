package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestErrorsNameFlags: what the user can change is named by its flag, not as the API calls it.
func TestErrorsNameFlags(t *testing.T) {
	ownCache(t)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	untrusted := strings.TrimPrefix(server.URL, "https://") + "/catalog:v1"
	pem := filepath.Join(t.TempDir(), "none.pem")
	require.NoError(t, os.WriteFile(pem, []byte("none"), 0o600))
	for args, want := range map[string]string{
		"validate " + untrusted:                                                          "has a certificate from an untrusted authority: add the authority to --registry-ca",
		"--registry-ca " + pem + " validate " + untrusted:                                "--registry-ca: there is no PEM certificate",
		"--registry-plain-http a/b validate quay.io/a/b:c":                               `--registry-plain-http: the insecure host "a/b" is invalid: write host[:port]`,
		"--offline validate quay.io/a/b:c":                                               "the network is disabled: load it once without --offline",
		"resolve --max-bundles 1 ../../examples/scenarios/conflict.yaml":                 "more than 1 candidate bundles needed (1 decisions made, 3 pending, 2 bundles reached, 0 solver calls); raise --max-bundles or narrow the request",
		"resolve --max-cel-cost 1 " + kube:                                               "raise --max-cel-cost or narrow the request",
		"resolve --max-solves abc " + kube:                                               `--max-solves "abc": not a whole number, see resolute resolve --help`,
		"resolve --max-solves 99999999999999999999 " + kube:                              `--max-solves "99999999999999999999": number is too large, see`,
		"resolve --timeout soon " + kube:                                                 `--timeout "soon": not a duration such as 30s or 5m, see`,
		"resolve -o xx " + kube:                                                          `--output: "xx" is not text, json, `,
		"audit --max-rounds -1 ../../examples/catalogs/community":                        `--max-rounds "-1": must not be negative, see`,
		"validate --strict=maybe " + community:                                           `--strict "maybe": must be true or false, see`,
		"audit --shard x " + community:                                                   `resolute: --shard: "x" is not a shard`,
		"ready --shard x --next a=b " + kube:                                             `resolute: --shard: "x" is not a shard`,
		"audit --package etc " + community:                                               "resolute: --package etc: no catalog has this package; did you mean etcd",
		"audit --cluster none.yaml " + community:                                         "resolute: --cluster: open none.yaml: no such file",
		"diff --cluster none.yaml " + community + " " + community:                        "resolute: --cluster: open none.yaml: no such file",
		"diff --beside none " + community + " " + community:                              "resolute: --beside: stat none: no such file",
		"diff --report x=y " + community + " " + community:                               "resolute: --report x=y: must have the form FORMAT=FILE, where FORMAT is text, json, html, markdown, sarif, junit or github",
		"diff --report text=none/x " + community + " " + community:                       "resolute: --report: open none/x: no such file",
		"diff --baseline none " + community + " " + community:                            "resolute: --baseline: open none: no such file",
		"validate --baseline none " + community:                                          "resolute: --baseline: open none: no such file",
		"validate --write-baseline none/x " + community:                                  "resolute: --write-baseline: open none/x: no such file",
		"mirror ../../examples/mirror/imageset.yaml --catalog a=none":                    "resolute: --catalog: stat none: no such file",
		"mirror ../../examples/mirror/imageset.yaml --installed none":                    "resolute: --installed: stat none: no such file",
		"mirror ../../examples/mirror/imageset.yaml --of a":                              "--of requires -o catalog; see resolute mirror --help",
		"resolve --beside x " + kube:                                                     "--beside requires -o installplan; see",
		"resolve --plan x -o installplan " + kube:                                        "--plan requires --beside; see",
		"resolve --beside none -o installplan " + kube:                                   "resolute: --beside: stat none: no such file",
		"capture --context c dump.yaml":                                                  "--context requires --live; see",
		"serve --listen 127.0.0.1:99999 " + community:                                    "resolute: --listen 127.0.0.1:99999: ",
		"needs --drop none " + kube:                                                      "--drop: subscription none: there is no such subscription",
		"completion nope":                                                                `resolute: unknown shell "nope": use bash, zsh, fish or pwsh`,
		"validate --bogus ../../examples/catalogs/community":                             "unknown flag --bogus, see resolute validate --help",
		"audit --max-solves 1 --max-bundles 1 ../../examples/catalogs/community -o json": "",
	} {
		got := resolute(t.Context(), "", strings.Fields(args)...)
		require.Contains(t, got.errOut, want, args)
		require.NotEqual(t, exitOK, got.status, args)
		require.NotRegexp(t, goName, got.errOut+got.out, args)
		for _, flag := range strings.FieldsFunc(want, func(r rune) bool { return r == ' ' || r == ':' }) {
			if strings.HasPrefix(flag, "--") {
				require.NotContains(t, got.errOut, flag+": "+flag, args)
			}
		}
	}
	audit := resolute(t.Context(), "", "audit", "--max-bundles", "1", "../../examples/catalogs/community")
	require.Contains(t, audit.out, "more than 1 candidate bundles needed; raise --max-bundles to find out")
}

// goName finds fields of options, and names of Go functions.
var goName = regexp.MustCompile(`\b(Options|Limits|Settings)\.[A-Z]|\braise Max[A-Z]|strconv\.|time: invalid|Go struct field`)

// TestMessagesNameFlags: no message of the library that the command line prints names a field of
// options.
func TestMessagesNameFlags(t *testing.T) {
	found := 0
	for _, dir := range []string{"cache", "constraints", "graph", "properties", "resolver", "internal"} {
		err := filepath.WalkDir("../../"+dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testkit" || d.Name() == "testdata" || d.Name() == "opmgrpc" || d.Name() == "catalogd"): // which the command line does not use
				return fs.SkipDir
			case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					message, err := strconv.Unquote(lit.Value)
					require.NoError(t, err)
					require.NotRegexp(t, goName, message, path)
					found++
				}
				return true
			})
			return nil
		})
		require.NoError(t, err)
	}
	require.Positive(t, found, "or nothing is tested")
}
