package pull

import (
	"regexp"
	"strings"
)

// Translate translates a message of the library to the command line: it replaces names of API
// options by flags.
func Translate(message string) string {
	message = strings.NewReplacer(
		"add it to Options.Insecure", "add it with --registry-plain-http",
		"--registry-plain-http: the insecure host ", "--registry-plain-http: the insecure host ", // already translated
		"the insecure host ", "--registry-plain-http: the insecure host ",
		"add the authority to Options.CertificateAuthorities", "add its certificate with --registry-ca",
		"the certificate authorities are invalid: they contain no PEM certificate", "--registry-ca: the file contains no PEM certificate",
		"more redirects than Limits.MaxRedirects allows", "too many redirects",
		"the network is disabled: load it once with the network enabled", "--offline disables the network: run once without --offline",
		"or choose another directory", "or choose another directory with --image-cache",
		"log in to the registry or provide a pull secret", "log in to the registry or use --authfile",
		"provide credentials with read access to the image", "provide credentials with read access to the image, for example with --authfile",
		"allow more time or narrow the request", "allow more time with --timeout, or narrow the request",
		"the budget for CEL rules is used up", "the budget of --max-cel-cost is used up",
		"choose another one with Options.Dir", "choose another one",
		"choose another folder with Options.Dir", "choose another folder",
	).Replace(message)
	if !strings.Contains(message, "raise ") {
		return message
	}
	for what, flag := range map[string]string{
		" solver calls needed": "--max-solves", " candidate bundles needed": "--max-bundles", " CEL cost needed": "--max-cel-cost",
	} {
		if strings.Contains(message, what) {
			message = strings.ReplaceAll(message, "raise the limit", "raise "+flag)
		}
	}
	message = strings.ReplaceAll(message, "raise the limit or narrow the request", "narrow the request") // no flag raises this limit
	return regexp.MustCompile(`if you trust the (image|server), raise ((Limits|Options)\.)?Max[A-Za-z]+`).ReplaceAllString(message, "the command line cannot raise this limit")
}

// translatedError is an error translated by [Translate].
type translatedError struct{ err error }

// Error implements error.
func (e *translatedError) Error() string { return Translate(e.err.Error()) }

// Unwrap returns the original error.
func (e *translatedError) Unwrap() error { return e.err }

// translateError wraps an error for the command line. It returns nil for nil.
func translateError(err error) error {
	if err == nil {
		return nil
	}
	return &translatedError{err}
}
