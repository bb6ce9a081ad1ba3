//go:build !linux

package apiserver

// run starts the process and waits for its end.
func (p *Process) run(started chan<- error) { p.wait(started) }
