#!/bin/bash
# A calculator in the terminal, with socat and jq. Type keys such as 12+30= and Enter; the display follows.
# It shows: requests and frames over one connection, a refused input, a hint, the end of the daemon.
# Run it: VIEWMODELD_SOCKET=/path/to/vm.sock bash calculator.sh
coproc DAEMON { exec socat - UNIX-CONNECT:"${VIEWMODELD_SOCKET:?is the path of the socket}"; }
exec {replies}<&"${DAEMON[0]}" {requests}>&"${DAEMON[1]}"
eval "exec ${DAEMON[0]}<&- ${DAEMON[1]}>&-"

id=0
request() { # METHOD PARAMS
    printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' $((++id)) "$1" "$2" >&"$requests"
}

# Sends the keys. At the end of the input the daemon sends the remaining replies and closes the connection.
{
    request session.attach '{"session":"desk"}'
    request viewModel.bind '{"id":"calculator","outputs":["led"]}'
    request viewModel.bind '{"id":"prompter","outputs":["hint"]}'
    while IFS= read -r -n 1 key; do
        [[ -z $key || $key == ' ' ]] || request calculator.press "$(jq -nc --arg key "$key" '[$key]')"
    done
} <&0 {replies}<&- &
typist=$!
exec {requests}>&-

# Prints the display at each frame, each hint, and what is wrong with a key, until the connection is closed.
jq --unbuffered -r '
    (.result // .params // {}) as $frame
    | if .error then "\(.error.data.found // .error.message): expected \(.error.data.expected // "something else")"
      else $frame.values.led // empty, ($frame.events // [] | .[] | "! " + .value.text) end' <&"$replies"
kill "$typist" 2>/dev/null
wait "$typist" 2>/dev/null && exit 0
echo "The daemon has closed the connection." >&2
exit 3
