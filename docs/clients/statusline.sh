#!/bin/sh
# A status line that survives restarts of the daemon: one line of JSON at each change, as waybar reads them.
# It shows: a binding of two outputs, a picture made of frames, a loop that connects again.
# waybar: "custom/calculator": {"exec": "statusline.sh", "return-type": "json"}
# Run it: VIEWMODELD_SOCKET=/path/to/vm.sock sh statusline.sh
: "${VIEWMODELD_SOCKET:?is the path of the socket}"
while :; do
    # "ignoreeof" keeps the connection open after the two requests. socat ends when the daemon closes it.
    printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' 1 session.attach '{"session":"desk"}' \
        2 viewModel.bind '{"id":"calculator","outputs":["led","undo.enabled"]}' |
        socat -,ignoreeof UNIX-CONNECT:"$VIEWMODELD_SOCKET" 2>/dev/null |
        jq --unbuffered -nc 'foreach (inputs | .result.values // .params.values // empty) as $values ({}; . + $values;
            {text: .led, class: (if .["undo.enabled"] then "changed" else "empty" end)})'
    echo '{"text":"-","class":"offline"}'
    sleep 1
done
