package apiserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Process is a child that writes what it has to say to the end of a file.
type Process struct {
	cmd     *exec.Cmd
	logFile string
	done    chan struct{} // closed once it has ended
	err     error         // what Wait returned; read after done
}

// StartProcess starts a program. Where the system can do that, it dies with its
// parent.
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

// Done is closed once the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill ends the process at once and waits for it: kill -9.
func (p *Process) Kill() {
	// It fails if the process has ended already, which is as good.
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Stop asks the process to end and waits for it. The error says that it ended
// badly, or not in time.
func (p *Process) Stop(wait time.Duration) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-time.After(wait):
		p.Kill()
		return fmt.Errorf("%s did not end within %s of being asked to", p.cmd.Path, wait)
	}
}

// Log returns the last of what the process wrote, for the message of a failure.
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
