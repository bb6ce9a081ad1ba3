package olm

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
)

// Labels by which OLM finds the pods of a catalog: the one that serves, and the one that
// will if its image has changed.
const (
	labelCatalog = "olm.catalogSource"
	labelUpdate  = "catalogsource.operators.coreos.com/update"
)

// pullReasons are the reasons for which a container waits when its image cannot be pulled.
var pullReasons = []string{"ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"}

// pullMessages are the words of events that say the same.
var pullMessages = append([]string{"Failed to pull image", "Back-off pulling image", "Failed to inspect image", "Failed to apply default image"}, pullReasons...)

// isRelevant reports whether the text of an object mentions what it is looked at for. A
// must-gather has thousands of pods and events about other things.
func isRelevant(_, kind string, text []byte) bool {
	mentions := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) })
	}
	switch kind {
	case "Pod":
		return mentions(labelCatalog, labelUpdate, "CatalogSource") || mentions(pullReasons...)
	case "Event":
		return mentions(pullMessages...)
	}
	return true
}

// trim drops what is not looked at of an object, or reports that nothing of it is.
func trim(value resource) (keep bool) {
	switch o := value.(type) {
	case *pod:
		_, serves := o.catalog()
		return serves || len(o.waiting()) > 0
	case *event:
		return o.isPull()
	case *serviceAccount:
		o.Metadata.Labels, o.Metadata.Annotations = nil, nil
	}
	return true
}

// isShortLived reports whether an object may be made anew under its name while a cluster
// runs: then its identity does not tell clusters apart.
func isShortLived(value resource) bool {
	switch value.(type) {
	case *pod, *event, *serviceAccount:
		return true
	}
	return false
}

// catalog is the name of the CatalogSource that a pod serves, as OLM says.
func (p *pod) catalog() (name string, serves bool) {
	if name = cmp.Or(p.Metadata.Labels[labelCatalog], p.Metadata.Labels[labelUpdate]); name != "" {
		return name, true
	}
	for _, o := range p.Metadata.OwnerReferences {
		if o.Kind == "CatalogSource" {
			return o.Name, true
		}
	}
	return "", false
}

// isReady reports whether all containers of a pod run, those before them included.
func (p *pod) isReady() bool {
	return p.Status.Phase == "Running" && len(p.Status.ContainerStatuses) > 0 &&
		!slices.ContainsFunc(p.Status.ContainerStatuses, func(c containerStatus) bool { return !c.Ready })
}

// pull is an image that cannot be pulled, and why: what was reported first, and what the
// registry answered where an event says that as well.
type pull struct{ image, reason, answer string }

// why is all that is known of the reason.
func (p *pull) why() string {
	if p.answer == "" || strings.Contains(p.reason, p.answer) {
		return p.reason
	}
	return p.reason + "; " + p.answer
}

// waiting are the images that containers of a pod wait for.
func (p *pod) waiting() []pull {
	images := make(map[string]string)
	for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		images[c.Name] = c.Image
	}
	var out []pull
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if w := c.State.Waiting; w != nil && slices.Contains(pullReasons, w.Reason) {
			out = append(out, pull{image: cmp.Or(images[c.Name], c.Image), reason: reported(w.Reason, w.Message)})
		}
	}
	return out
}

// reported is a reason with its message, as somebody else wrote them.
func reported(reason, message string) string {
	return text.Clip(text.Inert(strings.Trim(reason+": "+message, ": ")), maxMessage)
}

func (e *event) message() string { return cmp.Or(e.Message, e.Note) }

// pod is the name of the pod that an event is about, empty if it is about something else.
func (e *event) pod() string {
	about := e.InvolvedObject
	if about.Name == "" {
		about = e.Regarding
	}
	if about.Kind != "Pod" {
		return ""
	}
	return about.Name
}

// isPull reports whether an event says that an image of a pod cannot be pulled.
func (e *event) isPull() bool {
	return e.pod() != "" && slices.ContainsFunc(pullMessages, func(w string) bool { return strings.Contains(e.message(), w) || e.Reason == w })
}

// image is the image that an event names in quotes, empty if it names none.
func (e *event) image() string {
	_, rest, _ := strings.Cut(e.message(), `"`)
	image, _, closed := strings.Cut(rest, `"`)
	if !closed || strings.ContainsAny(image, " \n") {
		return ""
	}
	return image
}

// vagueness orders events by how little they say: what the registry answered is in those that
// failed to pull an image.
func (e *event) vagueness() int {
	switch {
	case strings.HasPrefix(e.message(), "Failed to"):
		return 0
	case e.image() != "":
		return 1
	}
	return 2
}

// last is when an event happened last; zero if it does not say.
func (e *event) last() time.Time {
	observed := ""
	if e.Series != nil {
		observed = e.Series.LastObservedTime
	}
	t, _ := time.Parse(time.RFC3339, cmp.Or(observed, e.LastTimestamp, e.DeprecatedLastTimestamp, e.EventTime))
	return t
}

// indexPulls finds the images that cannot be pulled, and the catalogs whose image is one:
// first by the pods as they are, then by events about them.
func (ix *index) indexPulls() {
	ix.pulls, ix.unreachable = make(map[string]pull), make(map[cache.Key]pull)
	sources := byNamespace(all[*catalogSource](ix.Cluster))
	pods, ready := make(map[cache.Key]*pod), make(map[cache.Key]bool)
	for _, p := range all[*pod](ix.Cluster) {
		m := p.meta()
		pods[cache.Key{Namespace: m.Namespace, Name: m.Name}] = p
		name, _ := p.catalog()
		key := cache.Key{Namespace: m.Namespace, Name: name}
		ready[key] = ready[key] || name != "" && p.isReady()
		for _, w := range p.waiting() {
			if s := servedBy(sources[m.Namespace], m.Name, name, w.image); s != nil {
				key.Name = s.Metadata.Name
			}
			ix.note(key, w)
		}
	}
	events := all[*event](ix.Cluster)
	slices.SortStableFunc(events, func(a, b *event) int { return cmp.Compare(a.vagueness(), b.vagueness()) })
	for _, e := range events {
		key := cache.Key{Namespace: e.Metadata.Namespace, Name: e.pod()}
		p := pods[key]
		key.Name = ""
		if p != nil {
			key.Name, _ = p.catalog()
		}
		w := pull{image: e.image(), reason: reported(e.Reason, e.message())}
		if e.vagueness() == 0 {
			w.answer = w.reason
		}
		s := servedBy(sources[key.Namespace], e.pod(), key.Name, w.image)
		if s != nil {
			key.Name = s.Metadata.Name
			w.image = cmp.Or(w.image, s.Spec.Image)
		}
		switch {
		case p != nil && p.isReady(), p == nil && ready[key], p == nil && s != nil && s.isReady() && !s.connectedBefore(e.last()):
			continue // since then it could be pulled
		}
		ix.note(key, w)
	}
}

// connectedBefore reports whether OLM was connected to a catalog last before a moment, or
// may have been.
func (c *catalogSource) connectedBefore(moment time.Time) bool {
	last, err := time.Parse(time.RFC3339, c.Status.ConnectionState.LastConnect)
	return err != nil || moment.IsZero() || last.Before(moment)
}

// note keeps the first reason for which an image cannot be pulled, with the answer of the
// registry, for the image and for the catalog, where there is one.
func (ix *index) note(catalog cache.Key, w pull) {
	add := func(known, w pull) pull {
		known.image, known.reason, known.answer = cmp.Or(known.image, w.image), cmp.Or(known.reason, w.reason), cmp.Or(known.answer, w.answer)
		return known
	}
	if w.image != "" {
		ix.pulls[w.image] = add(ix.pulls[w.image], w)
	}
	if catalog.Name != "" {
		ix.unreachable[catalog] = add(ix.unreachable[catalog], w)
	}
}

// servedBy is the catalog that a pod serves: the one that it names, else the one whose image
// it waits for, else the one from whose name OLM made that of the pod. It may be nil.
func servedBy(sources []*catalogSource, podName, catalog, image string) *catalogSource {
	for _, fits := range []func(*catalogSource) bool{
		func(s *catalogSource) bool { return s.Metadata.Name == catalog },
		func(s *catalogSource) bool { return catalog == "" && image != "" && s.Spec.Image == image },
		func(s *catalogSource) bool {
			suffix, made := strings.CutPrefix(podName, s.Metadata.Name+"-")
			return catalog == "" && made && len(suffix) == 5 && !strings.Contains(suffix, "-")
		},
	} {
		if i := slices.IndexFunc(sources, fits); i >= 0 {
			return sources[i]
		}
	}
	return nil
}
