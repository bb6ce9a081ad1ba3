package apiserver

import (
	"runtime"
	"syscall"
)

// run starts the process and waits for its end. Linux sends the signal when
// the thread that started the process ends, so the thread is kept until then.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.wait(started)
}
