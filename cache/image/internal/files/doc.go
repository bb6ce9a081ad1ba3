// Package files is where the files of images are: the directories and archives that images
// are read from; the layers of an image, applied one after the other by the rules of the OCI
// image specification; and what is left of them below one folder, as a file system with
// compressed contents in memory or in one file. The rest of the layers streams by.
//
// Whiteouts hide what lower layers have, never what is in their own layer.
// Hard links share the content of what they name, symbolic links are resolved
// when all layers were applied. What cannot be in a catalog that somebody made
// in good faith is an [Error]: names that leave the image, devices below the
// folder, links that leave the folder. Extended attributes, owners, modes and
// times are not kept.
package files
