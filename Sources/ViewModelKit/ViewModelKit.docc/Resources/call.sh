export VIEWMODELD_SOCKET=$XDG_RUNTIME_DIR/teatimer/teatimer.sock
viewmodelctl --session kitchen call kettle.brew
viewmodelctl --session kitchen call kettle.fill 2
viewmodelctl --session kitchen call kettle.minutes 1
viewmodelctl --session kitchen call kettle.brew
