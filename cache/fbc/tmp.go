package fbc
const byteOrderMark = "\uFEFF"
const limitBlobs = "MaxBlobs"
var extensions = [...]string{".yaml"}
