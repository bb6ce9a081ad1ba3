package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
	mirror "github.com/sherine-k/catalog-filter/pkg/filter/mirror-config/v1alpha1"
)

type job struct {
	Full   bool
	Config mirror.FilterConfiguration
}

func main() {
	dir := os.Args[1]
	dec := json.NewDecoder(os.Stdin)
	enc := json.NewEncoder(os.Stdout)
	for dec.More() {
		var j job
		if err := dec.Decode(&j); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		fbc, err := declcfg.LoadFS(context.Background(), os.DirFS(dir))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		out, err := mirror.NewMirrorFilter(j.Config, mirror.InFull(j.Full)).FilterCatalog(context.Background(), fbc)
		type channel struct {
			Package, Name string
			Entries       []string
		}
		var r struct {
			Error    string
			Defaults map[string]string
			Channels []channel
			Bundles  []string
		}
		if err != nil {
			r.Error = err.Error()
		} else {
			r.Defaults = map[string]string{}
			for _, p := range out.Packages {
				r.Defaults[p.Name] = p.DefaultChannel
			}
			for _, c := range out.Channels {
				ch := channel{Package: c.Package, Name: c.Name}
				for _, e := range c.Entries {
					ch.Entries = append(ch.Entries, e.Name)
				}
				r.Channels = append(r.Channels, ch)
			}
			for _, b := range out.Bundles {
				r.Bundles = append(r.Bundles, b.Package+"/"+b.Name)
			}
		}
		enc.Encode(r)
	}
}
