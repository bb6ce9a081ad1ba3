//go:build js && wasm

// Command wasm is the program of the static site. It runs in a web worker, whose script worker.js
// loads it and calls its functions.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"syscall/js"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/site"
)

// The heap is collected between answers if it is larger than idleHeap, so that answers need not wait
// for that, and at memoryLimit at the latest. A browser takes no memory back from a program.
const (
	idleHeap    = 16 << 20
	memoryLimit = 48 << 20
)

func main() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	p := &program{}
	p.watchRules()
	js.Global().Set("resolute", js.ValueOf(map[string]any{
		"start": p.function(p.start), "describe": p.function(p.describe), "ask": p.function(p.ask),
		"open": p.function(p.open), "close": p.function(p.close), "idle": p.function(idle),
	}))
	js.Global().Call("ready")
	select {} // the functions are called until the worker ends
}

// program is the state of the worker.
type program struct {
	player *site.Player
	rules  bool // a rule was met that this program cannot compile
}

// answer is what a function returns: a status as in HTTP and a JSON text.
type answer struct {
	status int
	body   []byte
}

// failed is the answer for an error.
func failed(err error) answer {
	body, _ := json.Marshal(map[string]string{"error": err.Error()}) // cannot fail
	return answer{500, body}
}

// function makes a function callable from JavaScript. A panic is an answer, not the end of the
// worker.
func (p *program) function(f func(args []js.Value) answer) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) (out any) {
		p.rules = false
		defer func() {
			if r := recover(); r != nil {
				a := failed(fmt.Errorf("internal error: %v", r))
				out = map[string]any{"status": a.status, "body": string(a.body), "rules": false}
			}
		}()
		a := f(args)
		return map[string]any{"status": a.status, "body": string(a.body), "rules": p.rules}
	})
}

// bytesOf copies a Uint8Array.
func bytesOf(v js.Value) []byte {
	b := make([]byte, v.Get("length").Int())
	js.CopyBytesToGo(b, v)
	return b
}

// idle collects the heap if that is worth while.
func idle([]js.Value) answer {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > idleHeap {
		runtime.GC()
	}
	return answer{200, nil}
}

// start reads the catalogs of the site: its manifest and, by path, their files.
func (p *program) start(args []js.Value) answer {
	var m site.Manifest
	if err := json.Unmarshal(bytesOf(args[0]), &m); err != nil {
		return failed(fmt.Errorf("site.json cannot be read: %w", err))
	}
	player, err := site.New(context.Background(), &m, func(file string) (io.Reader, error) {
		content := args[1].Get(file)
		if content.IsUndefined() {
			return nil, fmt.Errorf("%s is missing", file)
		}
		return bytes.NewReader(bytesOf(content)), nil
	})
	if err != nil {
		return failed(err)
	}
	p.player = player
	return answer{200, []byte("{}")}
}

// describe reads the descriptions of a catalog: its index and the file.
func (p *program) describe(args []js.Value) answer {
	if err := p.player.Describe(args[0].Int(), bytesOf(args[1])); err != nil {
		return failed(err)
	}
	return answer{200, []byte("{}")}
}

// ask answers a call: its target and its body.
func (p *program) ask(args []js.Value) answer {
	status, body := p.player.Answer(args[0].String(), []byte(args[1].String()))
	return answer{status, body}
}

// open opens files of the visitor: their names, their sizes, and a function that reads bytes of
// one, given its index, an offset and a length.
func (p *program) open(args []js.Value) answer {
	files := &files{read: args[2]}
	for i := range args[0].Length() {
		files.add(args[0].Index(i).String(), int64(args[1].Index(i).Float()))
	}
	status, body := p.player.Open(files, files.names)
	return answer{status, body}
}

// close returns to the catalogs of the site.
func (p *program) close([]js.Value) answer {
	status, body := p.player.Close()
	return answer{status, body}
}
