// Package files reads the files of images. It opens the directories and archives that contain
// images, applies layers by the rules of the OCI image specification, and stores the result
// below one folder as a file system with compressed contents, in memory or in one file. The
// rest of the layers is streamed.
//
// Whiteouts hide entries of lower layers, never of their own layer. Hard links share the
// content of their target. Symbolic links are resolved after the last layer. An [Error] rejects
// what no legitimate catalog contains: names that leave the image, devices below the folder,
// links that leave the folder. Extended attributes, owners, modes and times are discarded.
package files
