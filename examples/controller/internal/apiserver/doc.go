// Package apiserver runs a real kube-apiserver and its etcd on loopback, for
// tests: no double of them. They keep their data in a directory that the caller
// gives, and can be killed and started again over it.
//
// The programs are those that apiserver.sh of this example provides.
package apiserver
