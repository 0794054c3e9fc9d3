export VIEWMODELD_SOCKET=$XDG_RUNTIME_DIR/teatimer/teatimer.sock
viewmodelctl --session kitchen watch kettle
