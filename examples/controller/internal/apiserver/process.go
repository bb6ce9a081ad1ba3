package apiserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Process is a child process that appends its output to a file.
type Process struct {
	cmd     *exec.Cmd
	logFile string
	done    chan struct{} // closed after it has ended
	err     error         // the result of Wait; read after done
}

// StartProcess starts a program. If the system supports it, the program dies
// with its parent.
func StartProcess(logFile, program string, args ...string) (*Process, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &Process{cmd: exec.Command(program, args...), logFile: logFile, done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Done is closed after the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill kills the process (kill -9) and waits for it.
func (p *Process) Kill() {
	// The error means that the process has already ended.
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Stop terminates the process and waits for it. The error reports a bad exit
// or a timeout.
func (p *Process) Stop(wait time.Duration) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-time.After(wait):
		p.Kill()
		return fmt.Errorf("%s did not stop within %s", p.cmd.Path, wait)
	}
}

// Log returns the end of the process's output, for failure messages.
func (p *Process) Log() string {
	const most = 8 << 10
	data, err := os.ReadFile(p.logFile)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-most):])
}

func (p *Process) wait(started chan<- error) {
	err := p.cmd.Start()
	started <- err
	if err == nil {
		p.err = p.cmd.Wait()
	}
	close(p.done)
}
