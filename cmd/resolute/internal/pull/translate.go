package pull

import (
	"regexp"
	"strings"
)

// Translate translates a message of the library to the command line: it replaces names of API
// options by flags.
func Translate(message string) string {
	message = strings.NewReplacer(
		"name it in Options.Insecure", "name it with --registry-plain-http",
		"--registry-plain-http: the insecure host ", "--registry-plain-http: the insecure host ", // already translated
		"the insecure host ", "--registry-plain-http: the insecure host ",
		"give it in Options.CertificateAuthorities", "give that certificate with --registry-ca",
		"the certificate authorities cannot be used: there is no certificate in PEM form among them", "--registry-ca: the file has no certificate in PEM form",
		"as Limits.MaxRedirects allows", "as allowed",
		"the network may not be used: ask for it once with the network", "--offline keeps it from being fetched: run once without --offline",
		"or name another folder", "or name another folder with --image-cache",
		"log in to the registry, or give a pull secret", "log in to the registry, or give --authfile",
		"give one that may read the image", "give one that may read the image, for example with --authfile",
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
	return regexp.MustCompile(`if it can be trusted, raise ((Limits|Options)\.)?Max[A-Za-z]+`).ReplaceAllString(message, "the command line cannot raise this limit")
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
