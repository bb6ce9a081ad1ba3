// Package store keeps files in a folder of the disk, each under the digest of
// the image that it was made of, and finds out which were damaged.
//
// A file carries in its name the SHA-256 of its content, so that there is one
// rename between what is not kept and what is. It is written under a temporary
// name, locked as long as its writer lives, and synced before it gets its
// name. So any number of processes may use a folder at the same time, and each
// may be killed at any time: what it leaves behind is removed by the next one
// that writes.
package store
