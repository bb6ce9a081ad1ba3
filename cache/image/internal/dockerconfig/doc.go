// Package dockerconfig reads credentials in the form that docker, podman and
// Kubernetes share: config.json, auth.json, and what a pull secret holds under
// .dockerconfigjson or, of old, .dockercfg.
package dockerconfig
