#!/bin/sh
# A status line that survives restarts of the daemon: one line of JSON at each change, as waybar reads them.
# It shows: a binding of two outputs, a picture made of frames, a loop that connects again, also for a new session.
# waybar: "custom/calculator": {"exec": "statusline.sh", "return-type": "json"}
# Run it: VIEWMODELD_SOCKET=/path/to/vm.sock sh statusline.sh
if [ "$1" = --connected ]; then # The input and the output are the connection; 3 is the output of the status line.
    printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' 1 session.attach '{"session":"desk"}' \
        2 viewModel.bind '{"id":"calculator","outputs":["led","undo.enabled"]}'
    jq --unbuffered -nc 'foreach (inputs | if .method == "session.closed" then {end: .params}
            else .result.values // .params.values // empty end) as $values ({}; . + $values;
        if .end.reason == "moved" then {text: "moved to \(.end.node)", class: "offline"}, ("" | halt_error(9))
        elif .end then halt else {text: .led, class: (if .["undo.enabled"] then "changed" else "empty" end)} end)' >&3
    [ $? -ne 9 ] || kill "$LOOP" # A session that lives on another machine is not attached to again.
    exit
fi
: "${VIEWMODELD_SOCKET:?is the path of the socket}"
while :; do
    SELF=$0 LOOP=$$ socat UNIX-CONNECT:"$VIEWMODELD_SOCKET" SYSTEM:'exec sh "$SELF" --connected' 3>&1 2>/dev/null
    echo '{"text":"-","class":"offline"}'
    sleep 1
done
