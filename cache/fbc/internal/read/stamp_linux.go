package read

import (
	"io/fs"
	"syscall"
)

// changeOf returns the change data that Linux records in addition to size and time.
func changeOf(info fs.FileInfo) change {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return change{}
	}
	return change{inode: stat.Ino, device: uint64(stat.Dev), nanoseconds: stat.Ctim.Nano()}
}
