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

// Labels of the pods of a catalog: the serving one, and its successor after a change of the
// image.
const (
	labelCatalog = "olm.catalogSource"
	labelUpdate  = "catalogsource.operators.coreos.com/update"
)

// pullReasons are the reasons in the status of a container whose image cannot be pulled.
var pullReasons = []string{"ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"}

// pullMessages are the messages of events for the same failure.
var pullMessages = append([]string{"Failed to pull image", "Back-off pulling image", "Failed to inspect image", "Failed to apply default image"}, pullReasons...)

// isRelevant reports whether an object contains data that is used of its kind. A must-gather has
// thousands of unrelated pods and events.
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

// trim drops the unused parts of an object, and reports whether any part is used.
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

// isShortLived reports whether an object may be recreated under its name on a running cluster, so
// that its uid does not identify the cluster.
func isShortLived(value resource) bool {
	switch value.(type) {
	case *pod, *event, *serviceAccount:
		return true
	}
	return false
}

// catalog returns the name of the CatalogSource that a pod serves, by its labels.
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

// isReady reports whether a pod runs and all of its containers are ready.
func (p *pod) isReady() bool {
	return p.Status.Phase == "Running" && len(p.Status.ContainerStatuses) > 0 &&
		!slices.ContainsFunc(p.Status.ContainerStatuses, func(c containerStatus) bool { return !c.Ready })
}

// pull is an image that cannot be pulled, the first reported reason, and the answer of the
// registry if an event has it.
type pull struct{ image, reason, answer string }

// why returns the reason and the answer of the registry.
func (p *pull) why() string {
	if p.answer == "" || strings.Contains(p.reason, p.answer) {
		return p.reason
	}
	return p.reason + "; " + p.answer
}

// waiting returns the images that the containers of a pod wait for.
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

// reported formats a reason and a message from an object.
func reported(reason, message string) string {
	return text.Clip(text.Inert(strings.Trim(reason+": "+message, ": ")), maxMessage)
}

func (e *event) message() string { return cmp.Or(e.Message, e.Note) }

// pod returns the name of the pod of an event; empty if the event is not about a pod.
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

// image returns the quoted image in an event; empty if there is none.
func (e *event) image() string {
	_, rest, _ := strings.Cut(e.message(), `"`)
	image, _, closed := strings.Cut(rest, `"`)
	if !closed || strings.ContainsAny(image, " \n") {
		return ""
	}
	return image
}

// vagueness ranks events, most informative first: those for a failed pull have the answer of the
// registry.
func (e *event) vagueness() int {
	switch {
	case strings.HasPrefix(e.message(), "Failed to"):
		return 0
	case e.image() != "":
		return 1
	}
	return 2
}

// last returns the time at which an event last occurred; zero if unknown.
func (e *event) last() time.Time {
	observed := ""
	if e.Series != nil {
		observed = e.Series.LastObservedTime
	}
	t, _ := time.Parse(time.RFC3339, cmp.Or(observed, e.LastTimestamp, e.DeprecatedLastTimestamp, e.EventTime))
	return t
}

// indexPulls finds the images that cannot be pulled and the catalogs that use them, first by
// pods, then by events.
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
			continue // pulled since then
		}
		ix.note(key, w)
	}
}

// connectedBefore reports whether the last connection of OLM to a catalog is, or may be, before a
// time.
func (c *catalogSource) connectedBefore(moment time.Time) bool {
	last, err := time.Parse(time.RFC3339, c.Status.ConnectionState.LastConnect)
	return err != nil || moment.IsZero() || last.Before(moment)
}

// note records the first reason why an image cannot be pulled, with the answer of the registry,
// for the image and its catalog, if any.
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

// servedBy returns the catalog of a pod: by its labels, else by the image that it waits for, else
// by its name. It may be nil.
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
