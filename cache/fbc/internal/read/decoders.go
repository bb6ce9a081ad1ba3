package read

import (
	"cmp"
	"slices"
	"sync"

	"github.com/seed109e2655/resolute/graph"
)

// batchBytes is how much text of a file is passed on to be decoded at a
// time. A file that has less is decoded where it is read.
const batchBytes = 256 << 10

// batchCuts is how many blobs and problems a batch has at most.
const batchCuts = 8 << 10

// decoders has the blobs of one file decoded by several goroutines, while another
// one reads on and cuts the text into blobs. What comes of it does not depend
// on how many there are, for the batches are put together in their order.
//
// Take and finish are called by the goroutine that reads, finish always.
type decoders struct {
	file    *Collector
	workers Workers

	next    *batch   // being filled
	ordered []*batch // passed on
	todo    chan *batch
	working sync.WaitGroup

	mu     sync.Mutex
	failed error
	spare  []*batchText
}

// batch is a number of blobs in a row, and what they declare.
type batch struct {
	text     *batchText
	decls    map[string]*graph.PackageDecl
	problems []graph.Problem
	more     int
	blobs    int
	cut      bool
	findings []*Findings
}

// batchText is the blobs of a batch, one behind the other.
type batchText struct {
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

// Workers are how many goroutines decode a file, and where those beyond the first
// have their pools from.
type Workers struct {
	Count int
	Pools *sync.Pool // of *Pool
}

// newDecoders returns decoders for the file of a collector.
func newDecoders(file *Collector, w Workers) *decoders { return &decoders{file: file, workers: w} }

// Take has a blob decoded, now or soon. The error is one that ends the reading
// of the catalog.
func (c *decoders) Take(b Blob) error {
	if c.workers.Count <= 1 {
		return c.file.Blob(b)
	}
	t := c.filling()
	t.raw = append(t.raw, b.Raw...)
	b.Raw, b.Marks = nil, slices.Clone(b.Marks)
	t.cuts = append(t.cuts, cut{end: len(t.raw), blob: b})
	if !t.full() {
		return nil
	}
	c.passOn()
	return c.failure()
}

// Problem keeps a problem that stands behind the blobs that were taken.
func (c *decoders) Problem(p graph.Problem) {
	if c.workers.Count <= 1 {
		c.file.Problem(p)
		return
	}
	t := c.filling()
	t.cuts = append(t.cuts, cut{end: len(t.raw), problem: &p})
	if t.full() {
		c.passOn()
	}
}

// filling returns the text of the batch that is being filled.
func (c *decoders) filling() *batchText {
	if c.next == nil {
		c.next = &batch{text: c.blank()}
	}
	return c.next.text
}

// full reports whether there is enough in the text for a batch.
func (t *batchText) full() bool { return len(t.raw) >= batchBytes || len(t.cuts) >= batchCuts }

// passOn gives the batch that was filled to whoever is free. It waits while
// all are busy, so that only so many batches are in memory.
func (c *decoders) passOn() {
	if c.todo == nil {
		c.todo = make(chan *batch)
		for range c.workers.Count {
			c.working.Add(1)
			go c.work()
		}
	}
	c.ordered = append(c.ordered, c.next)
	c.todo <- c.next
	c.next = nil
}

// work decodes batches until there are no more. After a failure they are only
// taken, so that nothing waits.
func (c *decoders) work() {
	defer c.working.Done()
	own := c.workers.Pools.Get().(*Pool)
	defer c.workers.Pools.Put(own)
	s := New(c.file.ctx, c.file.file, c.file.opts, own, c.file.meter)
	for b := range c.todo {
		if c.failure() == nil {
			c.fail(s.batch(b))
		}
		c.mu.Lock()
		c.spare = append(c.spare, b.text)
		c.mu.Unlock()
		b.text = nil
	}
}

// finish waits for all that is being decoded, and puts it together. The error
// is one that ends the reading of the catalog.
func (c *decoders) finish() error {
	if c.todo == nil {
		if c.next == nil {
			return nil
		}
		return c.file.each(c.next.text)
	}
	if c.next != nil {
		c.passOn()
	}
	close(c.todo)
	c.working.Wait()
	for _, b := range c.ordered {
		c.file.absorb(b)
	}
	return c.failed
}

// blank returns an empty text, one that was used before if there is any.
func (c *decoders) blank() *batchText {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.spare) == 0 {
		return &batchText{raw: make([]byte, 0, batchBytes+batchBytes/8)}
	}
	last := len(c.spare) - 1
	t := c.spare[last]
	c.spare = c.spare[:last]
	t.raw, t.cuts = t.raw[:0], t.cuts[:0]
	return t
}

// fail keeps the first error.
func (c *decoders) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = cmp.Or(c.failed, err)
}

// failure returns the first error.
func (c *decoders) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// each keeps what the blobs of a text declare.
func (s *Collector) each(t *batchText) error {
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

// batch decodes a batch, and leaves nothing of it in the collector.
func (s *Collector) batch(b *batch) error {
	err := s.each(b.text)
	b.decls, b.problems, b.more, b.blobs, b.cut = s.decls, s.problems, s.more, s.blobs, s.cut
	b.findings = s.findings
	s.decls, s.problems, s.more, s.blobs, s.cut, s.findings = map[string]*graph.PackageDecl{}, nil, 0, 0, false, nil
	s.last = nil
	return err
}

// absorb adds what the next batch declares. Of the problems, those that come
// first in the file are kept.
func (s *Collector) absorb(b *batch) {
	s.blobs += b.blobs
	s.cut = b.cut || s.cut && b.blobs == 0
	merge(s.decls, b.decls)
	s.findings = append(s.findings, b.findings...)
	s.last = nil
	kept := min(len(b.problems), s.opts.MaxProblems-len(s.problems))
	s.problems = append(s.problems, b.problems[:kept]...)
	s.more += b.more + len(b.problems) - kept
}

// merge adds what more declares about each package behind what is there.
func merge(all, more map[string]*graph.PackageDecl) {
	for name, d := range more {
		a := all[name]
		if a == nil {
			all[name] = d
			continue
		}
		Merge(a, d)
	}
}

// Merge adds what more declares about a package behind what is there.
func Merge(all, more *graph.PackageDecl) {
	all.Definitions = append(all.Definitions, more.Definitions...)
	all.Channels = append(all.Channels, more.Channels...)
	all.Bundles = append(all.Bundles, more.Bundles...)
	all.Deprecations = append(all.Deprecations, more.Deprecations...)
	all.DeprecationBlobs = append(all.DeprecationBlobs, more.DeprecationBlobs...)
}
