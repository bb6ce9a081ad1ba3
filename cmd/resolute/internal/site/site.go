// Package site is what the writer of the static site and its program in the browser share.
package site

import "github.com/seed109e2655/resolute/resolver/scenario"

// Manifest lists the catalogs of a site. It is the file site.json.
type Manifest struct {
	// Version changes with every change of the site.
	Version  string    `json:"version"`
	Catalogs []Catalog `json:"catalogs"`
}

// Catalog is a catalog of a site.
type Catalog struct {
	// Catalog is its key, and its path or image for exported scenarios.
	scenario.Catalog
	Bundles int `json:"bundles"`
	// Rules is true if a bundle has a CEL rule, which only the larger program reads.
	Rules bool `json:"rules,omitempty"`
	// Content is the file of the catalog, as JSON lines; Listing that of the descriptions of its
	// packages.
	Content string `json:"content"`
	Listing string `json:"listing"`
}
