package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver/lock"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// verifiedLock is the verification of a lock, as it is written as JSON.
type verifiedLock struct {
	// File is the lock, as named on the command line.
	File string `json:"file,omitempty"`
	*lock.Verification
}

// verifyLock verifies a lock.
func (a *app) verifyLock(ctx context.Context, cmd *cli.Command, file string, data []byte) error {
	l, err := a.parseLock(ctx, file, data)
	if err != nil {
		return err
	}
	q, err := a.currentQuestion(ctx, cmd, l, file)
	if err != nil {
		return err
	}
	loaded, err := a.loadQuestion(ctx, cmd, q, true)
	if err != nil {
		return err
	}
	solver := a.resolver(cmd)
	v, err := await(ctx, func() (*lock.Verification, error) { return lock.Verify(ctx, solver, l, loaded.Request) })
	if err != nil {
		return lockedCatalog(err)
	}
	if cmd.String("output") == "in-toto" {
		err = view.JSON(a.out, v.Statement(filepath.Base(label(file)), data, l, loaded.Request, buildVersion()))
	} else {
		err = a.show(cmd, verifiedLock{a.fileOf(file, false), v}, nil, func(t *view.Text) {
			t.Verification(label(file), l, v)
			for _, key := range v.Unread {
				place := unreadPlace(q, key, loaded.Request.Catalogs)
				if place != "" {
					place = " (" + place + ")"
				}
				t.Line("  catalog %s%s was not read; --catalog %s=CATALOG compares with it", key, place, key)
			}
		})
	}
	if err == nil && !(v.Valid && v.Best) {
		err = exit(exitNo)
	}
	return err
}

// currentQuestion returns the question that a lock is verified with: that of --cluster, else its
// own. A catalog of the cluster that is not there is read from where the lock has it.
func (a *app) currentQuestion(ctx context.Context, cmd *cli.Command, l *lock.Lock, file string) (*question, error) {
	given := cmd.StringSlice("catalog")
	cluster := cmd.String("cluster")
	if cluster == "" {
		return newQuestion(l.Question, filepath.Dir(file), given)
	}
	s, err := a.read(ctx, cluster)
	if err != nil {
		return nil, ofFlag("cluster", err)
	}
	q, err := newQuestion(s, filepath.Dir(cluster), nil)
	if err != nil {
		return nil, err
	}
	there, err := newQuestion(l.Question, filepath.Dir(file), nil)
	if err != nil {
		return nil, err
	}
	images := grantedImages{Images: a.images}
	for i := range q.Catalogs {
		k := slices.IndexFunc(there.Catalogs, func(c scenario.Catalog) bool { return there.keyOf(c) == q.keyOf(q.Catalogs[i]) })
		if c := &q.Catalogs[i]; k >= 0 && isMissing(q, i, images) {
			c.Path, c.Image, c.Blobs = there.Catalogs[k].Path, there.Catalogs[k].Image, there.Catalogs[k].Blobs
		}
	}
	return newQuestion(&q.Scenario, ".", given)
}
