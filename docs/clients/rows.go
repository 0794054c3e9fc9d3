// Shows three rows of a long list, in Go with the standard library. A number and Enter scroll to that row.
// It shows: a window on a list, a bind that scrolls it, errors by code, a new connection, also for a new session.
// Run it: VIEWMODELD_SOCKET=/path/to/vm.sock go run rows.go
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"
)

type object = map[string]any

// follow shows the rows until the connection or the session ends.
func follow(daemon net.Conn, offset *int, typed <-chan int) {
	messages, id := make(chan object), 0
	go func() {
		defer close(messages)
		for decoder, message := json.NewDecoder(daemon), object(nil); message["method"] != "session.closed"; {
			if message = nil; decoder.Decode(&message) != nil {
				return
			}
			messages <- message
		}
	}()
	call := func(method string, params any) {
		id++
		json.NewEncoder(daemon).Encode(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	}
	bind := func() {
		windows := object{"rows": object{"offset": *offset, "limit": 3}}
		call("viewModel.bind", object{"id": "lab", "outputs": []string{"rows"}, "windows": windows, "patches": false})
	}
	call("session.attach", object{"session": "desk"})
	for bind(); ; {
		select {
		case *offset = <-typed:
			bind()
		case message, isOpen := <-messages:
			if !isOpen {
				return
			}
			if failure, _ := message["error"].(object); failure != nil {
				fmt.Println("error", failure["code"], failure["message"])
			}
			frame, _ := message["params"].(object)
			if result, _ := message["result"].(object); result != nil {
				frame = result
			}
			if frame["reason"] == "moved" {
				fmt.Println("The session has moved to", frame["node"])
				os.Exit(3)
			}
			values, _ := frame["values"].(object)
			if rows, _ := values["rows"].(object); rows["count"] == 0.0 { // The session is new.
				call("lab.append", []int{1000})
			} else if rows != nil {
				fmt.Println(rows["offset"], "of", rows["count"], rows["rows"])
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
			daemon.Close()
		}
		fmt.Println("no connection")
	}
}
