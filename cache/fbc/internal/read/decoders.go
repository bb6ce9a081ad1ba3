package read

import (
	"cmp"
	"slices"
	"sync"

	"github.com/seed109e2655/resolute/graph"
)

// Text is decoded in batches of about firstBatch bytes, and of largeBatch after much text. Small
// batches give each worker a part of a small file; large ones split few packages of a large file. A
// file of less than half a batch is decoded by the reading goroutine.
const (
	firstBatch = 32 << 10
	largeBatch = 256 << 10
	much       = 1 << 20
)

// batchCuts is the maximum number of blobs and problems of a batch.
const batchCuts = 8 << 10

// decoders decodes the blobs of one file with several goroutines, while another one reads and cuts
// the text. The result does not depend on their number, because batches are merged in order.
//
// Take, Problem and finish are called by the reading goroutine, finish always.
type decoders struct {
	file    *Collector
	workers Workers

	text    batch        // being filled
	taken   int          // bytes given to TakeOver so far
	idle    chan *worker // of all workers; nil before the first batch
	working sync.WaitGroup
	ordered []*File // the declarations of the batches, once their workers finish
}

// batch is a sequence of blobs.
type batch struct {
	raw  []byte
	cuts []cut
}

// cut is the end of a blob in the text of its batch, with its metadata, or a problem between blobs.
type cut struct {
	end     int
	blob    Blob // without its text
	problem *graph.Problem
}

// worker decodes one batch at a time on its own goroutine, so that its stack grows only once.
type worker struct {
	*Collector
	text   batch
	into   chan *File // receives the declarations of the batch; closed at the end
	failed error
}

// work decodes batches, and reports itself idle after each.
func (w *worker) work(idle chan<- *worker) {
	for out := range w.into {
		w.failed = w.each(&w.text)
		*out, w.File, w.last = w.File, newFile(), nil
		idle <- w
	}
}

// Workers is the number of goroutines that decode a file, and the source of the pools of all but
// the first.
type Workers struct {
	Count int
	Pools *sync.Pool // of *Pool
}

// Take decodes a blob, now or later. The error stops the load.
func (c *decoders) Take(b Blob) error {
	if c.workers.Count <= 1 {
		return c.file.Blob(b)
	}
	c.text.raw = append(c.text.raw, b.Raw...)
	b.Raw, b.Marks = nil, slices.Clone(b.Marks)
	return c.cut(cut{blob: b})
}

// TakeOver is Take without a copy: the caller must not use the memory of the text any more. It
// returns memory that the caller may use instead, or nil.
func (c *decoders) TakeOver(b Blob) (free []byte, err error) {
	c.taken += len(b.Raw)
	if c.workers.Count <= 1 || len(c.text.cuts) > 0 {
		return b.Raw, c.Take(b)
	}
	c.text.raw, b.Raw = b.Raw, nil
	if err = c.cut(cut{blob: b}); len(c.text.cuts) == 0 {
		free, c.text.raw = c.text.raw, nil
	}
	return free, err
}

// Problem records a problem after the blobs taken so far.
func (c *decoders) Problem(p graph.Problem) {
	if c.workers.Count <= 1 {
		c.file.Problem(p)
		return
	}
	_ = c.cut(cut{problem: &p}) // the next blob, or the end, returns the error as well
}

// cut adds to the batch, and submits it once it is full.
func (c *decoders) cut(at cut) error {
	at.end = len(c.text.raw)
	c.text.cuts = append(c.text.cuts, at)
	if 2*len(c.text.raw) < c.batchBytes() && len(c.text.cuts) < batchCuts {
		return nil
	}
	return c.passOn()
}

// batchBytes returns the size of a batch, which has at least half of it. It is independent of the
// number of workers, because reports on broken text depend on its cuts.
func (c *decoders) batchBytes() int {
	if c.taken < much {
		return firstBatch
	}
	return largeBatch
}

// passOn submits the batch to a worker, and takes over that worker's buffer. It blocks while all
// workers are busy, which bounds the memory. The error stops the load.
func (c *decoders) passOn() error {
	if c.idle == nil {
		c.idle = make(chan *worker, c.workers.Count)
		for range c.workers.Count {
			own := c.workers.Pools.Get().(*Pool)
			w := &worker{Collector: New(c.file.ctx, c.file.file, c.file.opts, own, c.file.meter), into: make(chan *File, 1)}
			c.working.Go(func() { w.work(c.idle) })
			c.idle <- w
		}
	}
	w := <-c.idle
	w.text, c.text = c.text, batch{raw: w.text.raw[:0], cuts: w.text.cuts[:0]}
	if w.failed != nil {
		c.idle <- w
		return w.failed
	}
	out := &File{}
	c.ordered = append(c.ordered, out)
	w.into <- out
	return nil
}

// finish waits for all batches and merges them. The error stops the load.
func (c *decoders) finish() (err error) {
	if c.idle == nil {
		return c.file.each(&c.text)
	}
	if len(c.text.cuts) > 0 {
		err = c.passOn()
	}
	for range c.workers.Count {
		w := <-c.idle
		close(w.into)
		err = cmp.Or(err, w.failed)
		c.workers.Pools.Put(w.pool)
	}
	c.working.Wait()
	for _, more := range c.ordered {
		c.file.absorb(more)
	}
	return err
}

// each decodes the blobs of a batch.
func (s *Collector) each(t *batch) error {
	from := 0
	for _, at := range t.cuts {
		if at.problem != nil {
			s.Problem(*at.problem)
			continue
		}
		at.blob.Raw = t.raw[from:at.end]
		if err := s.Blob(at.blob); err != nil {
			return err
		}
		from = at.end
	}
	return nil
}
