// Shows three rows of a long list, in Go with the standard library. A number and Enter scroll to that row.
// It shows: a window on a list, a bind that scrolls it, errors by code, a connection that is made again.
// Run it: VIEWMODELD_SOCKET=/path/to/vm.sock go run rows.go
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"
)

type object map[string]any

// A reply has a result or an error, a frame has params. The picture of a window has its rows and the count of all rows.
type message struct {
	Result, Params struct {
		Values struct {
			Rows *struct {
				Offset, Count int
				Rows          []struct{ Text string }
			}
		}
	}
	Error object
}

func receive(daemon net.Conn, messages chan<- message) {
	for decoder := json.NewDecoder(daemon); ; {
		var next message
		if decoder.Decode(&next) != nil {
			close(messages)
			return
		}
		messages <- next
	}
}

func follow(daemon net.Conn, offset *int, typed <-chan int) {
	messages, id := make(chan message), 0
	go receive(daemon, messages)
	call := func(method string, params any) {
		id++
		json.NewEncoder(daemon).Encode(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	}
	bind := func() {
		windows := object{"rows": object{"offset": *offset, "limit": 3}}
		call("viewModel.bind", object{"id": "lab", "outputs": []string{"rows"}, "windows": windows, "patches": false})
	}
	call("session.attach", object{"session": "desk"})
	bind()
	for {
		select {
		case *offset = <-typed:
			bind()
		case next, isOpen := <-messages:
			if !isOpen {
				return
			}
			if next.Error != nil {
				fmt.Println("error", next.Error["code"], next.Error["message"])
			}
			rows := next.Params.Values.Rows
			if rows == nil {
				rows = next.Result.Values.Rows
			}
			if rows != nil && rows.Count == 0 { // The session is new.
				call("lab.append", []int{1000})
			} else if rows != nil {
				fmt.Println(rows.Offset, "of", rows.Count, rows.Rows)
			}
		}
	}
}

func main() {
	offset, typed := 0, make(chan int)
	go func() {
		for number := 0; ; typed <- number {
			if _, err := fmt.Scanln(&number); err != nil {
				return
			}
		}
	}()
	for ; ; time.Sleep(time.Second) {
		if daemon, err := net.Dial("unix", os.Getenv("VIEWMODELD_SOCKET")); err == nil {
			follow(daemon, &offset, typed)
		}
		fmt.Println("no connection")
	}
}
