package image

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// LabelConfigs is the label by which an image names the folder of its file-based catalog.
const LabelConfigs = "operators.operatorframework.io.index.configs.v1"

// Labels of what is not read.
const (
	labelDatabase = "operators.operatorframework.io.index.database.v1" // a catalog in the old SQLite form
	labelBundle   = "operators.operatorframework.io.bundle.package.v1" // the image of a bundle
)

// Defaults returns the options that zero ones stand for: the values of limits, retries
// and timeouts.
func Defaults() Options {
	return Options{
		Limits: Limits{
			MaxBytes: 4 << 30, MaxUnpackedBytes: 8 << 30, MaxFileBytes: 1 << 30, MaxFiles: 100_000, MaxEntries: 500_000,
			MaxLayers: 500, MaxManifestBytes: 4 << 20, MaxManifestItems: 50_000, MaxRedirects: 5,
		},
		Retries: 2, ConnectTimeout: 10 * time.Second, HeaderTimeout: 30 * time.Second, IdleTimeout: 30 * time.Second,
	}
}

// Limits bound what an image may cost. A limit of 0 stands for its default, see
// [Defaults]; a negative one is no limit. Passing one is a [*cache.LimitError].
type Limits struct {
	// MaxBytes bounds the layers together as they are sent: 4 GiB by default.
	MaxBytes int64
	// MaxUnpackedBytes bounds the layers together, decompressed. It is what
	// stops a gzip bomb: 8 GiB by default.
	MaxUnpackedBytes int64
	// MaxFileBytes bounds the files in the catalog's folder together, in all
	// layers: 1 GiB by default.
	MaxFileBytes int64
	// MaxFiles bounds the files, folders and links in the catalog's folder, in all
	// layers: 100,000 by default.
	MaxFiles int64
	// MaxEntries bounds the entries of all layers, wherever they lie: 500,000 by default.
	MaxEntries int64
	// MaxLayers bounds the number of layers: 500 by default.
	MaxLayers int64
	// MaxManifestBytes bounds each index, manifest and configuration: 4 MiB by default.
	MaxManifestBytes int64
	// MaxManifestItems bounds the lists, objects and items of both in each of them:
	// they take much more memory than their text. 50,000 by default.
	MaxManifestItems int64
	// MaxRedirects bounds how often one question may be led elsewhere. Passing
	// it is a [*ConnectionError]. 5 by default.
	MaxRedirects int64
}

// unlimited stands for no limit. It leaves room to add to it.
const unlimited = int64(1) << 60

func (l Limits) withDefaults() Limits {
	set, standard := reflect.ValueOf(&l).Elem(), reflect.ValueOf(Defaults().Limits)
	for i := range set.NumField() {
		switch limit := set.Field(i); {
		case limit.IsZero():
			limit.Set(standard.Field(i))
		case limit.Int() < 0:
			limit.SetInt(unlimited)
		}
	}
	return l
}

// Options are the options of a source. The zero value is the default: without
// credentials, mirrors, proxy and store. Nothing is taken from the environment:
// see [DefaultKeychain].
type Options struct {
	// FBC says how the catalog is read, and what is kept of it.
	FBC fbc.Options
	// Limits bound what an image may cost.
	Limits Limits

	// Keychain finds credentials; nil is a keychain without any.
	Keychain Keychain
	// Mirrors are places to ask before the registry that a reference names.
	Mirrors []Mirror
	// MirrorsOnly leaves out the registry itself where a mirror is set for an
	// image, for networks that do not reach it.
	MirrorsOnly bool
	// CertificateAuthorities are certificates, PEM, that are trusted beside
	// those of the system.
	CertificateAuthorities []byte
	// Insecure names hosts, host[:port] as in a reference, that are asked by
	// plain HTTP, without TLS. Whoever is between can then read credentials and
	// change what a tag stands for. Hosts of this machine (localhost,
	// 127.0.0.0/8, ::1) need not be named: they are asked by TLS, and by plain
	// HTTP if they do not speak it.
	Insecure []string
	// Proxy returns the proxy for a request, such as http.ProxyFromEnvironment;
	// nil asks directly.
	Proxy func(*http.Request) (*url.URL, error)

	// Store keeps what was read, so that the same digest is not fetched again;
	// nil keeps nothing.
	Store *Store
	// Offline leaves the network alone: images come from the store, and a tag
	// stands for what it stood for when it was last asked; or from files. What
	// is not kept is an [ErrNotKept].
	Offline bool

	// Retries is how often a question is asked again, with exponential backoff,
	// after the connection broke or the registry answered 500, 502, 503 or 504,
	// and how often a layer that was cut off is continued where it ended. A
	// negative number is never. Twice by default.
	Retries int
	// ConnectTimeout is how long a connection may take to be made, TLS included: 10 s by
	// default.
	ConnectTimeout time.Duration
	// HeaderTimeout is how long it may take until an answer begins, the connection
	// included: 30 s by default.
	HeaderTimeout time.Duration
	// IdleTimeout is how long an answer may stand still: 30 s by default. There is no limit on
	// the whole of it but the context: [cache.SourceConfig].Timeout. A negative
	// duration of these three is no limit.
	IdleTimeout time.Duration

	// Progress, if set, is called with how far fetching got: see [Progress].
	Progress func(Progress)
	// Logger logs what went wrong without failing: a mirror that was passed
	// over, a kept copy that was damaged, a store that cannot be written. nil
	// logs nothing. No credential gets into it.
	Logger *slog.Logger
}

// Progress is how far the fetching of an image got. Calls come one at a time,
// from the goroutine that loads: at the beginning, some four times a megabyte,
// and at the end of each layer. They must return soon.
type Progress struct {
	// Reference is the image.
	Reference string
	// Layer is the number of the layer that is read, from 1, of Layers.
	Layer, Layers int
	// Bytes is how much of all layers was read, as it is sent, and Total how
	// much that is in all; negative if it is not known beforehand, as in an
	// archive of docker.
	Bytes, Total int64
}

// Mirror is a place that has the same images as another.
type Mirror struct {
	// From is what a repository begins with: host[:port][/path], compared path
	// element by path element. To takes its place.
	From, To string
}

// ParseMirror parses a mirror as it is written on a command line: FROM=TO, for
// example quay.io/operatorhubio=mirror.example.com/hub.
func ParseMirror(text string) (Mirror, error) {
	from, to, ok := strings.Cut(text, "=")
	m := Mirror{From: strings.Trim(from, "/"), To: strings.Trim(to, "/")}
	if !ok {
		return m, fmt.Errorf("%s is not a mirror: write FROM=TO, for example quay.io/operatorhubio=mirror.example.com/hub", quoted(text))
	}
	return m, m.check()
}

// check returns what is wrong with a mirror.
func (m Mirror) check() error {
	for _, p := range []string{m.From, m.To} {
		if ref, err := Parse(registryPrefix + p + "/x/y"); err != nil || ref.Repository != canonical(p)+"/x/y" {
			return fmt.Errorf("the mirror %s=%s cannot be used: %s is not host[:port][/path], with a dot or a port in the host", inert(m.From), inert(m.To), quoted(p))
		}
	}
	return nil
}

// locations returns the repositories to ask for an image, in order: what the
// mirrors with the longest From make of it, then itself.
func (o *Options) locations(repository string) []string {
	longest := -1
	var found []string
	for _, m := range o.Mirrors {
		from := canonical(m.From)
		if !within(repository, from) || len(from) < longest {
			continue
		}
		if len(from) > longest {
			longest, found = len(from), nil
		}
		if to := canonical(m.To + repository[len(from):]); !slices.Contains(found, to) {
			found = append(found, to)
		}
	}
	if len(found) == 0 || !o.MirrorsOnly && !slices.Contains(found, repository) {
		found = append(found, repository)
	}
	return found
}

// withDefaults fills in what is not set. The error says what cannot be used.
func (o Options) withDefaults() (Options, error) {
	o.Limits = o.Limits.withDefaults()
	if o.Keychain == nil {
		o.Keychain = Keychains()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	d := Defaults()
	o.Retries = max(cmp.Or(o.Retries, d.Retries), 0)
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, d.ConnectTimeout)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, d.HeaderTimeout)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, d.IdleTimeout)
	for _, m := range o.Mirrors {
		if err := m.check(); err != nil {
			return o, err
		}
	}
	for _, host := range o.Insecure {
		if host == "" || strings.ContainsAny(host, "/@ ") {
			return o, fmt.Errorf("the insecure host %s cannot be used: write host[:port]", quoted(host))
		}
	}
	if len(o.CertificateAuthorities) > 0 && !x509.NewCertPool().AppendCertsFromPEM(o.CertificateAuthorities) {
		return o, errors.New("the certificate authorities cannot be used: there is no certificate in PEM form among them")
	}
	return o, nil
}
