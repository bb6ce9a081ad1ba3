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

// mergeFlag is --merge for commands with shards.
func mergeFlag() cli.Flag {
	return boolFlag("merge", "combine the JSON of all parts, given as arguments; - is standard input")
}

// pathFlags bound upgrade paths and configure parallel work and shards.
func pathFlags(things string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "shard", Usage: "process part `i/n` of the " + things + ", for example 0/4"},
		&cli.IntFlag{Name: "max-rounds", Usage: "follow each upgrade path for at most `N` rounds; 0 means the default", Validator: notNegative},
	}
}

// workersFlag is --workers.
func workersFlag(things string) cli.Flag {
	return &cli.IntFlag{Name: "workers", Usage: "process `N` " + things + " in parallel; 0 means the number of cores", Validator: notNegative}
}

// merge combines the JSON of all parts. It rejects the flags in without, which configure the
// work itself.
func (a *app) merge(ctx context.Context, cmd *cli.Command, without []cli.Flag, merge func(parts ...io.Reader) error) error {
	for _, flag := range without {
		if name := flag.Names()[0]; cmd.IsSet(name) {
			return fmt.Errorf("--%s cannot be combined with --merge, which only combines results", name)
		}
	}
	files := cmd.Args().Slice()
	parts, opened, err := a.parts(ctx, files)
	defer func() {
		for _, f := range opened {
			_ = f.Close() // read only
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

// parts opens files whose reads stop when the context ends. Input that cannot be read twice,
// such as standard input, is copied to a temporary file, because the order of the parts is
// determined from the ends of the files.
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
		part := ctxReader{ctx, in}
		if _, err := part.Seek(0, io.SeekCurrent); err != nil {
			f, err := spool(part)
			if err != nil {
				return nil, opened, err
			}
			opened, part.Reader = append(opened, f), f
		}
		parts = append(parts, part)
	}
	return parts, opened, nil
}

// tempFile is a file that is removed on Close.
type tempFile struct{ *os.File }

// Close implements io.Closer.
func (f tempFile) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }

// spool copies input to a temporary file.
func spool(r io.Reader) (*tempFile, error) {
	file, err := os.CreateTemp("", "resolute-part-*")
	if err != nil {
		return nil, err
	}
	f := &tempFile{file}
	_, err = io.Copy(f, r)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ctxReader is a reader whose reads fail once a context has ended.
type ctxReader struct {
	ctx context.Context
	io.Reader
}

// Seek implements io.Seeker if the reader does.
func (u ctxReader) Seek(offset int64, whence int) (int64, error) {
	if s, ok := u.Reader.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, errors.ErrUnsupported
}

// Read implements io.Reader.
func (u ctxReader) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	type filled struct {
		data []byte
		n    int
	}
	f, err := await(u.ctx, func() (filled, error) {
		data := make([]byte, len(p)) // a late read must not write to p
		n, err := u.Reader.Read(data)
		return filled{data, n}, err
	})
	return copy(p, f.data[:f.n]), err
}
