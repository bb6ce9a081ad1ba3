package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/internal/shards"
)

// mergeFlag is --merge of the commands whose work can be split.
func mergeFlag() cli.Flag {
	return yesFlag("merge", "put the JSON of all parts together, which the arguments name; - is standard input")
}

// pathFlags bound the upgrade paths, and split the work on many things.
func pathFlags(things string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "shard", Usage: "take part `i/n` of the " + things + ", for example 0/4"},
		&cli.IntFlag{Name: "max-rounds", Usage: "follow each upgrade path for at most `N` rounds; 0 for the default", Validator: notNegative},
	}
}

// workersFlag is --workers.
func workersFlag(things string) cli.Flag {
	return &cli.IntFlag{Name: "workers", Usage: "work on `N` " + things + " at once; 0 for as many as there are cores", Validator: notNegative}
}

// merge opens the JSON of all parts and has it put together. The flags that say how the
// work is done make no sense with that.
func (a *app) merge(ctx context.Context, cmd *cli.Command, without []cli.Flag, merge func(parts ...io.Reader) error) error {
	for _, flag := range without {
		if name := flag.Names()[0]; cmd.IsSet(name) {
			return fmt.Errorf("--%s says how to do the work, and --merge only puts results together; leave one of them out", name)
		}
	}
	files := cmd.Args().Slice()
	parts, opened, err := a.parts(ctx, files)
	defer func() {
		for _, f := range opened {
			_ = f.Close() // it was only read
		}
	}()
	if err == nil {
		err = merge(parts...)
	}
	var format *shards.FormatError
	switch {
	case ctx.Err() != nil:
		return stopped(ctx, cmd.Name+" --merge")
	case errors.As(err, &format) && format.Input < len(files):
		return fmt.Errorf("%s --merge %s: %w", cmd.Name, label(files[format.Input]), err)
	}
	return err
}

// parts opens files that are read until the context ends. One that cannot be read twice,
// such as standard input, is copied to a temporary file: only the ends of the files say
// their order.
func (a *app) parts(ctx context.Context, files []string) (parts []io.Reader, opened []io.Closer, err error) {
	for _, name := range files {
		in := a.in
		if name != "-" {
			f, err := await(ctx, func() (*os.File, error) { return os.Open(name) })
			if err != nil {
				return nil, opened, err
			}
			opened, in = append(opened, f), f
		}
		part := untilDone{ctx, in}
		if _, err := part.Seek(0, io.SeekCurrent); err != nil {
			f, err := copied(part)
			if err != nil {
				return nil, opened, err
			}
			opened, part.Reader = append(opened, f), f
		}
		parts = append(parts, part)
	}
	return parts, opened, nil
}

// temporary is a file that is gone once it is closed.
type temporary struct{ *os.File }

// Close implements io.Closer.
func (f temporary) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }

// copied copies what can be read once to a file.
func copied(r io.Reader) (*temporary, error) {
	file, err := os.CreateTemp("", "resolute-part-*")
	if err != nil {
		return nil, err
	}
	f := &temporary{file}
	_, err = io.Copy(f, r)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// untilDone reads until a context ends.
type untilDone struct {
	ctx context.Context
	io.Reader
}

// Seek goes back, where the reader can.
func (u untilDone) Seek(offset int64, whence int) (int64, error) {
	if s, ok := u.Reader.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, errors.ErrUnsupported
}

// Read reads, unless the context has ended.
func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	type filled struct {
		data []byte
		n    int
	}
	f, err := await(u.ctx, func() (filled, error) {
		data := make([]byte, len(p)) // p may be used again when this comes back
		n, err := u.Reader.Read(data)
		return filled{data, n}, err
	})
	return copy(p, f.data[:f.n]), err
}
