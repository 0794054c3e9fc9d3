import Glibc
import TestSupport
import Testing

@testable import Systemd

/// What goes to the service manager, over a real socket.
@Suite struct ServiceNotifierTests {
    @Test(arguments: [false, true])
    func `messages arrive at a path and at an abstract address`(isAbstract: Bool) {
        let manager = DatagramSocket(isAbstract: isAbstract)
        let notifier = ServiceNotifier(address: manager.address)
        #expect(notifier.ready(status: "Listening at /x") && notifier.ready())
        #expect(notifier.status("Busy") && notifier.stopping() && notifier.watchdog())
        #expect(manager.receive() == "READY=1\nSTATUS=Listening at /x")
        #expect(manager.receive() == "READY=1")
        #expect(manager.receive() == "STATUS=Busy")
        #expect(manager.receive() == "STOPPING=1")
        #expect(manager.receive() == "WATCHDOG=1")
    }

    @Test func `a reload says when it began on the monotonic clock`() throws {
        let manager = DatagramSocket()
        let before = try microseconds()
        #expect(ServiceNotifier(address: manager.address).reloading())
        let lines = try #require(manager.receive()).split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        let told = try #require(lines.last.flatMap { Int($0.replacing("MONOTONIC_USEC=", with: "")) })
        #expect(try (before...microseconds()).contains(told))
    }

    @Test func `a status stays one line of a length that the manager takes`() {
        let manager = DatagramSocket()
        let notifier = ServiceNotifier(address: manager.address)
        notifier.status("one\nREADY=1\r\nthree")
        #expect(manager.receive() == "STATUS=one READY=1  three")
        notifier.status(String(repeating: "x", count: 100_000))
        #expect(manager.receive()?.utf8.count == "STATUS=".utf8.count + ServiceNotifier.longestStatus)
    }

    @Test(arguments: [nil, "", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 200)])
    func `without a manager it sends nothing`(address: String?) {
        #expect(ServiceNotifier(address: address).ready(status: "Listening"))
    }

    @Test func `a manager that has gone is no failure, and one that comes back is told`() {
        let notifier: ServiceNotifier
        do {
            let manager = DatagramSocket()
            notifier = ServiceNotifier(address: manager.address)
        }
        #expect(!notifier.watchdog())
        let manager = DatagramSocket(isAbstract: true)
        let other = ServiceNotifier(address: manager.address)
        #expect(other.watchdog() && manager.receive() == "WATCHDOG=1")
    }

    @Test(.timeLimit(.minutes(5)))
    func `a manager that does not read does not block the daemon`() {
        let manager = DatagramSocket()
        let notifier = ServiceNotifier(address: manager.address)
        var sent = 0
        while notifier.watchdog() { sent += 1 }
        #expect(sent > 0)
        #expect(manager.receive() == "WATCHDOG=1")
        #expect(notifier.watchdog())
    }

    private func microseconds() throws -> Int {
        var time = timespec()
        try #require(clock_gettime(CLOCK_MONOTONIC, &time) == 0)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
}
