package pull

import (
	"regexp"
	"strings"
)

// Words says a message of the library in the words of the command line: what an error of the
// API calls by the name of an option is a flag here, or cannot be set.
func Words(message string) string {
	message = strings.NewReplacer(
		"name it in Options.Insecure", "name it with --registry-plain-http",
		"--registry-plain-http: the insecure host ", "--registry-plain-http: the insecure host ", // said already
		"the insecure host ", "--registry-plain-http: the insecure host ",
		"give it in Options.CertificateAuthorities", "give that certificate with --registry-ca",
		"the certificate authorities cannot be used: there is no certificate in PEM form among them", "--registry-ca: the file has no certificate in PEM form",
		"as Limits.MaxRedirects allows", "as may be asked",
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
	message = strings.ReplaceAll(message, "raise the limit or narrow the request", "narrow the request") // which no flag raises
	return regexp.MustCompile(`if it can be trusted, raise ((Limits|Options)\.)?Max[A-Za-z]+`).ReplaceAllString(message, "the command line reads no larger one")
}

// worded is an error in the words of the command line.
type worded struct{ err error }

// Error implements error.
func (e *worded) Error() string { return Words(e.err.Error()) }

// Unwrap returns the error as the library words it.
func (e *worded) Unwrap() error { return e.err }

// inWords words an error for the command line; nil stays nil.
func inWords(err error) error {
	if err == nil {
		return nil
	}
	return &worded{err}
}
