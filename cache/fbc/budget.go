package fbc

import (
	"sync"
	"sync/atomic"
)

// The limits on a catalog as a whole.
const (
	limitBytes = "MaxTotalBytes"
	limitBlobs = "MaxBlobs"
)

// reportEvery is the number of bytes between two calls of a Progress.
const reportEvery = 4 << 20

// budget counts the work on all files of a catalog, and reports progress. It is safe for concurrent
// use.
type budget struct {
	opts     *Options
	bytes    atomic.Int64
	blobs    atomic.Int64
	foreign  atomic.Int64
	files    int
	done     atomic.Int64
	reported atomic.Int64 // bytes at the last report

	reporting sync.Mutex
}

// Bytes counts bytes. The error is a *LimitError.
func (b *budget) Bytes(n int) error {
	total := b.bytes.Add(int64(n))
	if total > b.opts.MaxTotalBytes {
		return &LimitError{Limit: limitBytes, Max: b.opts.MaxTotalBytes}
	}
	if last := b.reported.Load(); total-last >= reportEvery && b.reported.CompareAndSwap(last, total) {
		b.report()
	}
	return nil
}

// Blob counts a blob. The error is a *LimitError.
func (b *budget) Blob() error {
	if b.blobs.Add(1) > b.opts.MaxBlobs {
		return &LimitError{Limit: limitBlobs, Max: b.opts.MaxBlobs}
	}
	return nil
}

// Foreign counts a blob with an unknown schema.
func (b *budget) Foreign() { b.foreign.Add(1) }

// fileDone counts a file.
func (b *budget) fileDone() {
	b.done.Add(1)
	b.report()
}

// report reports progress to the caller.
func (b *budget) report() {
	if b.opts.Progress == nil {
		return
	}
	b.reporting.Lock()
	defer b.reporting.Unlock()
	b.opts.Progress(Progress{
		Files: b.files, FilesDone: int(b.done.Load()),
		Bytes: b.bytes.Load(), Blobs: b.blobs.Load(), Foreign: b.foreign.Load(),
	})
}
