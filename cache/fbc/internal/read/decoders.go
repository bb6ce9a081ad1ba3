package read

import (
	"cmp"
	"slices"
	"sync"

	"github.com/seed109e2655/resolute/graph"
)

// The text of a file is passed on to be decoded in batches of about firstBatch bytes, and of largeBatch once
// much was passed on. Small batches give each worker a part of a small file; large ones divide few
// packages of a large file. A file of less than half a batch is decoded where it is read.
const (
	firstBatch = 32 << 10
	largeBatch = 256 << 10
	much       = 1 << 20
)

// batchCuts is how many blobs and problems a batch has at most.
const batchCuts = 8 << 10

// decoders has the blobs of one file decoded by several goroutines, while another
// one reads on and cuts the text into blobs. What comes of it does not depend
// on how many there are, for the batches are put together in their order.
//
// Take, Problem and finish are called by the goroutine that reads, finish always.
type decoders struct {
	file    *Collector
	workers Workers

	text    batch        // being filled
	taken   int          // bytes that TakeOver was given so far
	idle    chan *worker // of all workers; nil before the first batch
	working sync.WaitGroup
	ordered []*File // what the batches declare, once their workers are done
}

// batch is a number of blobs in a row, one behind the other.
type batch struct {
	raw  []byte
	cuts []cut
}

// cut is where a blob ends in the text of its batch, and what else is known of it;
// or it is a problem that was found in between.
type cut struct {
	end     int
	blob    Blob // without its text
	problem *graph.Problem
}

// worker decodes one batch at a time, on a goroutine of its own, whose stack has to grow only once.
type worker struct {
	*Collector
	text   batch
	into   chan *File // what the batch declares goes there; closed at the end
	failed error
}

// work decodes what comes, and says that it is idle again.
func (w *worker) work(idle chan<- *worker) {
	for out := range w.into {
		w.failed = w.each(&w.text)
		*out, w.File, w.last = w.File, newFile(), nil
		idle <- w
	}
}

// Workers are how many goroutines decode a file, and where those beyond the first
// have their pools from.
type Workers struct {
	Count int
	Pools *sync.Pool // of *Pool
}

// Take has a blob decoded, now or soon. The error is one that ends the reading
// of the catalog.
func (c *decoders) Take(b Blob) error {
	if c.workers.Count <= 1 {
		return c.file.Blob(b)
	}
	c.text.raw = append(c.text.raw, b.Raw...)
	b.Raw, b.Marks = nil, slices.Clone(b.Marks)
	return c.cut(cut{blob: b})
}

// TakeOver is Take without a copy: the caller must not use the memory of the text any more. It
// returns memory that the caller may use in its place, or nil.
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

// Problem keeps a problem that stands behind the blobs that were taken.
func (c *decoders) Problem(p graph.Problem) {
	if c.workers.Count <= 1 {
		c.file.Problem(p)
		return
	}
	_ = c.cut(cut{problem: &p}) // which the next blob, or the end, returns as well
}

// cut adds to the batch, and passes it on once there is enough in it.
func (c *decoders) cut(at cut) error {
	at.end = len(c.text.raw)
	c.text.cuts = append(c.text.cuts, at)
	if 2*len(c.text.raw) < c.batchBytes() && len(c.text.cuts) < batchCuts {
		return nil
	}
	return c.passOn()
}

// batchBytes returns how much is read for a batch, which has at least half of that. It does not depend
// on the number of workers, as what is said of broken text depends on where that is cut.
func (c *decoders) batchBytes() int {
	if c.taken < much {
		return firstBatch
	}
	return largeBatch
}

// passOn gives the batch to a worker, whose text is filled next. It waits while all are
// busy, so that only so many batches are in memory. The error is one that ends the reading.
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

// finish waits for all that is being decoded, and puts it together. The error
// is one that ends the reading of the catalog.
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

// each keeps what the blobs of a batch declare.
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
