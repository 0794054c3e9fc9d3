#!/bin/bash
# A calculator in the terminal, with socat and jq. Type keys such as 12+30= and Enter; the display follows.
# It shows: requests and frames over one connection, a refused input, a hint, the end of the daemon.
# Run it: VIEWMODELD_SOCKET=/path/to/vm.sock bash calculator.sh
coproc DAEMON { exec socat - UNIX-CONNECT:"${VIEWMODELD_SOCKET:?is the path of the socket}"; }
exec {replies}<&"${DAEMON[0]}" {requests}>&"${DAEMON[1]}"

# Prints the display at each frame, each hint, and what is wrong with a key. Ends the script after the last message.
trap 'echo "The daemon has closed the connection." >&2; exit 3' TERM
{
    jq --unbuffered -r '
        (.result // .params // {}) as $frame
        | if .error then "\(.error.data.found // .error.message): expected \(.error.data.expected // "something else")"
          else $frame.values.led // empty, ($frame.events // [] | .[] | "! " + .value.text) end' <&"$replies"
    kill -TERM $$ 2>/dev/null
} {requests}>&- &
reader=$!

id=0
request() { # METHOD PARAMS
    printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' $((++id)) "$1" "$2" >&"$requests"
}
request session.attach '{"session":"desk"}'
request viewModel.bind '{"id":"calculator","outputs":["led"]}'
request viewModel.bind '{"id":"prompter","outputs":["hint"]}'
while IFS= read -r -n 1 key; do
    [[ -z $key || $key == ' ' ]] || request calculator.press "$(jq -nc --arg key "$key" '[$key]')"
done

# The end of the input: the daemon sends the remaining replies and closes the connection.
trap : TERM
exec {requests}>&-
eval "exec ${DAEMON[1]}>&-"
wait "$reader"
exit 0
