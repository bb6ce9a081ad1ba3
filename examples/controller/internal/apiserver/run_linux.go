package apiserver

import (
	"runtime"
	"syscall"
)

// run starts the process and waits for its end. Linux sends the signal when the
// thread ends that started the process, which is therefore kept until then.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.wait(started)
}
