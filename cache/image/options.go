package image

import (
	"cmp"
	"crypto/x509"
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

// LabelConfigs is the label that names the folder of an image's file-based catalog.
const LabelConfigs = "operators.operatorframework.io.index.configs.v1"

// Labels of unsupported images.
const (
	labelDatabase = "operators.operatorframework.io.index.database.v1" // a catalog in the legacy SQLite format
	labelBundle   = "operators.operatorframework.io.bundle.package.v1" // a bundle image
)

// Defaults returns the default limits, retries and timeouts.
func Defaults() Options {
	return Options{
		Limits: Limits{
			MaxBytes: 4 << 30, MaxUnpackedBytes: 8 << 30, MaxFileBytes: 1 << 30, MaxFiles: 100_000, MaxEntries: 500_000,
			MaxLayers: 500, MaxManifestBytes: 4 << 20, MaxManifestItems: 50_000, MaxRedirects: 5,
		},
		Retries: 2, ConnectTimeout: 10 * time.Second, HeaderTimeout: 30 * time.Second, IdleTimeout: 30 * time.Second,
	}
}

// Limits bound the cost of an image. Zero means the default, see [Defaults]; a negative
// limit means no limit. Exceeding one is a [*cache.LimitError].
type Limits struct {
	// MaxBytes bounds the total size of the layers as transferred: 4 GiB by default.
	MaxBytes int64
	// MaxUnpackedBytes bounds the total size of the decompressed layers, which stops
	// compression bombs: 8 GiB by default.
	MaxUnpackedBytes int64
	// MaxFileBytes bounds the total size of the files in the catalog's folder, in all layers: 1
	// GiB by default.
	MaxFileBytes int64
	// MaxFiles bounds the files, folders and links in the catalog's folder, in all
	// layers: 100,000 by default.
	MaxFiles int64
	// MaxEntries bounds the entries of all layers, anywhere in the image: 500,000 by default.
	MaxEntries int64
	// MaxLayers bounds the number of layers: 500 by default.
	MaxLayers int64
	// MaxManifestBytes bounds each index, manifest and configuration: 4 MiB by default.
	MaxManifestBytes int64
	// MaxManifestItems bounds the lists, objects and their items in each index, manifest and
	// configuration, because decoded items take much more memory than their text: 50,000 by
	// default.
	MaxManifestItems int64
	// MaxRedirects bounds the redirects of one request. Exceeding it is a [*ConnectionError]. 5
	// by default.
	MaxRedirects int64
}

// unlimited means no limit. It is small enough to add to without overflow.
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

// Options configure a source. The zero value has no credentials, mirrors, proxy or store.
// Nothing is read from the environment: see [DefaultKeychain].
type Options struct {
	// FBC configures how the catalog is read and which parts are retained.
	FBC fbc.Options
	// Limits bound the cost of an image.
	Limits Limits

	// Keychain finds credentials; nil means none.
	Keychain Keychain
	// Mirrors are tried before the registry that a reference names.
	Mirrors []Mirror
	// MirrorsOnly disables the registry itself for images with a mirror, for networks that
	// cannot reach it.
	MirrorsOnly bool
	// CertificateAuthorities are PEM certificates trusted in addition to the system's.
	CertificateAuthorities []byte
	// Insecure lists hosts, host[:port] as in a reference, that are requested over plain HTTP,
	// without TLS. An attacker on the network can then read credentials and change tags. Hosts
	// of this machine (localhost, 127.0.0.0/8, ::1) need no entry: they are requested over TLS
	// first, and over plain HTTP if they do not support it.
	Insecure []string
	// Proxy returns the proxy for a request, such as http.ProxyFromEnvironment; nil means
	// direct connections.
	Proxy func(*http.Request) (*url.URL, error)

	// Store caches images, so that the same digest is not fetched again; nil disables it.
	Store *Store
	// Offline disables the network. Images come from files or from the store, where a tag has
	// its last known digest. An image not in the store is an [ErrNotKept].
	Offline bool

	// Retries is how often a request is retried with exponential backoff after a broken
	// connection or a status of 500, 502, 503 or 504, and how often a truncated layer is
	// resumed. A negative number means never. 2 by default.
	Retries int
	// ConnectTimeout limits connecting, including TLS: 10 s by default.
	ConnectTimeout time.Duration
	// HeaderTimeout limits the wait for the first response header, including connecting: 30 s
	// by default.
	HeaderTimeout time.Duration
	// IdleTimeout limits the wait for more of a response body: 30 s by default. Only the
	// context limits the whole load: [cache.SourceConfig].Timeout. A negative value of these
	// three means no limit.
	IdleTimeout time.Duration

	// OptionName returns how errors name an option to users, given a field of Options or
	// [Limits], such as a flag; empty means that users cannot set it. nil names the fields.
	OptionName func(field string) string

	// Progress, if set, is called during fetching: see [Progress].
	Progress func(Progress)
	// Logger logs problems that do not fail the load: a skipped mirror, a corrupt stored copy,
	// a store that cannot be written. nil disables logging. Credentials are never logged.
	Logger *slog.Logger
}

// Progress is the progress of fetching an image. Calls are sequential, from the goroutine that
// loads: at the beginning, about four times per megabyte, and at the end of each layer.
// Callbacks must return quickly.
type Progress struct {
	// Reference is the image.
	Reference string
	// Layer is the number of the current layer, from 1, of Layers.
	Layer, Layers int
	// Bytes is the number of bytes read of all layers, as transferred, and Total their total
	// size; negative if unknown, as in a Docker archive.
	Bytes, Total int64
}

// Mirror maps a repository prefix to a mirror with the same images.
type Mirror struct {
	// From is the prefix of a repository: host[:port][/path], compared path element by path
	// element. To replaces it.
	From, To string
}

// ParseMirror parses a mirror in command-line form: FROM=TO, for example
// quay.io/operatorhubio=mirror.example.com/hub.
func ParseMirror(text string) (Mirror, error) {
	from, to, ok := strings.Cut(text, "=")
	m := Mirror{From: strings.Trim(from, "/"), To: strings.Trim(to, "/")}
	if !ok {
		return m, fmt.Errorf("%s is not a mirror: write FROM=TO, for example quay.io/operatorhubio=mirror.example.com/hub", quoted(text))
	}
	return m, m.check()
}

// check returns why a mirror is invalid.
func (m Mirror) check() error {
	for _, p := range []string{m.From, m.To} {
		if ref, err := Parse(registryPrefix + p + "/x/y"); err != nil || ref.Repository != canonical(p)+"/x/y" {
			return fmt.Errorf("the mirror %s=%s is invalid: %s is not host[:port][/path] with a dot or a port in the host", inert(m.From), inert(m.To), quoted(p))
		}
	}
	return nil
}

// locations returns the repositories to try for an image, in order: the mirrors with the
// longest From, then the repository itself.
func (o *Options) locations(repository string) []string {
	longest := -1
	var found []string
	for _, m := range o.Mirrors {
		from := canonical(m.From)
		if !hasPathPrefix(repository, from) || len(from) < longest {
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

// name returns how errors name an option.
func (o *Options) name(field string) string {
	if o.OptionName != nil {
		return o.OptionName(field)
	}
	if _, is := reflect.TypeFor[Limits]().FieldByName(field); is {
		return "Limits." + field
	}
	return "Options." + field
}

// withDefaults sets defaults. The error reports invalid options.
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
			return o, fmt.Errorf("%s: the insecure host %s is invalid: write host[:port]", o.name("Insecure"), quoted(host))
		}
	}
	if len(o.CertificateAuthorities) > 0 && !x509.NewCertPool().AppendCertsFromPEM(o.CertificateAuthorities) {
		return o, fmt.Errorf("%s: there is no PEM certificate", o.name("CertificateAuthorities"))
	}
	return o, nil
}
