// Package apiserver runs a real kube-apiserver and etcd on loopback, for
// tests. They store their data in a directory of the caller, and can be killed
// and restarted with it.
//
// The script apiserver.sh of this example provides the programs.
package apiserver
