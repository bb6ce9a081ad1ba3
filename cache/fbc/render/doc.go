// Package render writes catalogs, or parts of them, as one file-based catalog in
// a fixed order, with everything that they say.
//
//	r := render.New(render.Options{})
//	defer r.Close()
//	err := r.AddFS(ctx, os.DirFS("catalog"))
//	…
//	err = r.Write(ctx, os.Stdout, render.JSON)
//
// Packages come by name, and of each package its olm.package blob, channels,
// bundles, deprecations and then blobs of any other schema, by schema; of one
// schema by name; and what is equal in all of that by content. Blobs that belong
// to no package come last. That is also the order of opm and of fbc.Write. The
// same blobs give the same bytes, in however many files and in whichever order
// they were.
//
// A blob is written as it was read, with its fields in their order: fields and
// unknown schemas are kept, and so are numbers and escapes as they are
// written. Only space between values goes.
//
// The text is never in memory as a whole: what is more than [Options].MaxMemory goes to
// a temporary file, from which it is written in order.
package render
