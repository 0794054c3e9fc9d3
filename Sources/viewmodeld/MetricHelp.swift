/// The help texts of the daemon's metrics, by metric family.
enum MetricHelp {
    static let texts = [
        "viewmodeld_backlog_bytes": "Unsent bytes of the connections that have more than 64 KiB of them.",
        "viewmodeld_connections": "Open connections.",
        "viewmodeld_connections_refused": "Connections that were refused, for access or for a limit.",
        "viewmodeld_errors": "Errors that requests and notifications came to, by their code.",
        "viewmodeld_events_lost": "Events that a slow or returning client was told to have missed.",
        "viewmodeld_frames": "Frames that were handed over to connections.",
        "viewmodeld_instances": "Living ViewModel instances of all sessions.",
        "viewmodeld_received_bytes": "Bytes that came from clients.",
        "viewmodeld_requests": "Calls of inputs, of actions and of the protocol's own methods.",
        "viewmodeld_sent_bytes": "Bytes that were handed over to sockets.",
        "viewmodeld_sessions": "Living sessions, anonymous ones included.",
        "viewmodeld_start_time_seconds": "When the daemon started, in seconds since the beginning of 1970, UTC.",
        "viewmodeld_store_seconds": "How long reads and writes of the storage took, their waiting included.",
    ]
}
