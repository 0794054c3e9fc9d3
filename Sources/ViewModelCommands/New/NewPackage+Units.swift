/// The units of a new package, which are those of `viewmodeld` for a person with another name.
extension NewPackage {
    static func service(_ name: String, program: String) -> String {
        """
        [Unit]
        Description=ViewModel daemon
        # The socket is a unit of its own. It exists before the daemon and while the daemon restarts.
        Requires=\(name).socket
        After=\(name).socket
        # After 40 starts in half a minute systemd gives up. The interval is short, so that systemctl restart works as
        # soon as the cause is removed.
        StartLimitIntervalSec=30s
        StartLimitBurst=40

        [Service]
        Type=notify
        NotifyAccess=main
        ExecStart=\(program)
        # The kill of the shell: /bin/kill is not part of every Debian.
        ExecReload=/bin/sh -c 'kill -HUP $MAINPID'
        # StateDirectory= is not set: before systemd 254 it would be in ~/.config. The daemon itself creates
        # ~/.local/state/\(name) with mode 0700.

        Restart=on-failure
        # Clients wait meanwhile. StartLimitBurst= ends a daemon that fails again and again. A shorter time could
        # reach the limit of the socket, 20 activations in 2 seconds (TriggerLimitBurst=).
        RestartSec=200ms
        # Wrong flags (64), a damaged store or one of a newer version (71) and a wrong configuration (78) stay wrong
        # after a restart. The daemon tells so to the clients that wait, because they would start it again.
        # An unusable socket or state directory (73) may be temporary: a full disk, a backup that
        # locks the database, a shared database that is away. A start waits 5 seconds for the latter, so it never
        # reaches StartLimitBurst=.
        RestartPreventExitStatus=64 71 78
        # The daemon checks its whole database before it is ready, and waits up to a minute for another process that
        # has locked it.
        TimeoutStartSec=10min
        # Longer than shutdown.graceSeconds (by default 5) and the time to save the sessions.
        TimeoutStopSec=30s
        WatchdogSec=30s
        # The memory of limits.bytesPerUser (256 MiB) several times. A daemon that exceeds it is ended and started again.
        MemoryMax=1G
        # A thread for each core, and a few dozen more.
        TasksMax=512

        # The manager of a user can apply few restrictions besides a filter of system calls.
        UMask=0077
        # A core dump would contain tokens and keys.
        LimitCORE=0
        NoNewPrivileges=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallErrorNumber=EPERM

        [Install]
        WantedBy=default.target
        Also=\(name).socket

        """
    }

    static func socket(_ name: String) -> String {
        """
        [Unit]
        Description=Socket of the ViewModel daemon

        [Socket]
        ListenStream=%t/\(name)/\(name).sock
        # Only this user can enter the directory and open the socket.
        SocketMode=0600
        DirectoryMode=0700
        # Clients that connect while the daemon restarts wait here. They are not refused.
        Backlog=4096

        [Install]
        WantedBy=sockets.target

        """
    }
}
