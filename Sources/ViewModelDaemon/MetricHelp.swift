/// The help texts of the daemon's metrics, by metric family.
enum MetricHelp {
    static let texts = [
        "viewmodeld_backlog_bytes": "Unsent bytes of the connections that have more than 64 KiB of them.",
        "viewmodeld_connections": "Open connections.",
        "viewmodeld_connections_refused": "Connections that were refused, for access or for a limit.",
        "viewmodeld_errors": "Errors of requests and notifications, by error code.",
        "viewmodeld_events_lost": "Events that slow or returning clients missed.",
        "viewmodeld_frames": "Frames that were queued for connections.",
        "viewmodeld_instances": "Living ViewModel instances of all sessions.",
        "viewmodeld_received_bytes": "Bytes that came from clients.",
        "viewmodeld_requests": "Calls of inputs, of actions and of the protocol's own methods.",
        "viewmodeld_sent_bytes": "Bytes that were written to sockets.",
        "viewmodeld_sessions": "Living sessions, anonymous ones included.",
        "viewmodeld_start_time_seconds": "The Unix time at which the daemon started.",
        "viewmodeld_store_seconds": "Duration of reads and writes of the store, with the time in the queue.",
    ]
}
