// Package layer applies the layers of a container image one after the other,
// by the rules of the OCI image specification, and keeps what lies below one
// folder: the rest streams by.
//
// Whiteouts hide what lower layers have, never what is in their own layer.
// Hard links share the content of what they name, symbolic links are resolved
// when all layers were applied. What cannot be in a catalog that somebody made
// in good faith is an [Error]: names that leave the image, devices below the
// folder, links that leave the folder. Extended attributes, owners, modes and
// times are not kept.
package layer
