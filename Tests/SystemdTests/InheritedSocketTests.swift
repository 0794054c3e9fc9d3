import Glibc
import TestSupport
import Testing

@testable import Systemd

/// Sockets that are passed, as real descriptors.
@Suite struct InheritedSocketTests {
    @Test func `two sockets are taken with their names and closed to children`() throws {
        let place = neighbours(of: PassedSocket())
        defer { for number in place..<place + 2 { close(number) } }
        let sockets = try environment(count: "2", names: "user:admin", first: place).listeningSockets()
        #expect(sockets.map(\.descriptor) == [place, place + 1])
        #expect(sockets.map(\.name) == ["user", "admin"])
        for socket in sockets { #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0) }
    }

    /// Copies a socket to two numbers that follow each other, and that are free in the process.
    ///
    /// - Returns: the first one; both are the caller's to close.
    private func neighbours(of socket: PassedSocket) -> Int32 {
        var start: Int32 = 500
        while true {
            let first = fcntl(socket.descriptor, F_DUPFD, start)
            let second = fcntl(socket.descriptor, F_DUPFD, first + 1)
            precondition(first >= 0 && second >= 0, "there are no numbers left")
            if second == first + 1 { return first }
            close(first)
            close(second)
            start = second
        }
    }

    @Test func `a socket without a name is unknown`() throws {
        let socket = PassedSocket()
        defer { withExtendedLifetime(socket) {} }
        #expect(
            try environment(count: "1", names: nil, first: socket.descriptor).listeningSockets().map(\.name) == [
                "unknown"
            ]
        )
    }

    @Test(arguments: [["LISTEN_FDS": "1"], ["LISTEN_FDS": "1", "LISTEN_PID": "8"], ["LISTEN_PID": "7"], [:]])
    func `what is passed to another process is not taken`(variables: [String: String]) throws {
        let environment = ServiceEnvironment(variables, processID: 7, firstDescriptor: 600)
        #expect(try environment.listeningSockets().isEmpty)
    }

    @Test(arguments: ["many", "-1", "", "2147483647", "99999999999"])
    func `a number that is none is refused`(count: String) {
        #expect(throws: InheritedSocketError.self) {
            try environment(count: count, names: nil, first: 3).listeningSockets()
        }
    }

    @Test(arguments: Descriptor.allCases)
    func `what cannot be accepted at is refused and named`(kind: Descriptor) throws {
        let descriptor = kind.open()
        defer { close(descriptor) }
        let error = try #require(throws: InheritedSocketError.self) {
            try environment(count: "1", names: "odd", first: descriptor).listeningSockets()
        }
        #expect(error.description.contains("descriptor \(descriptor) (odd)"))
        #expect(error.description.contains(kind.rawValue), "\(error)")
    }

    enum Descriptor: String, CaseIterable {
        case file = "is no socket"
        case network = "no Unix-domain socket"
        case datagram = "no stream socket"
        case silent = "does not listen"

        func open() -> Int32 {
            switch self {
            case .file: Glibc.open("/dev/null", O_RDONLY)
            case .network: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            case .datagram: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            case .silent: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            }
        }
    }

    @Test func `a descriptor that is not open is refused and named`() throws {
        let error = try #require(throws: InheritedSocketError.self) {
            try environment(count: "1", names: nil, first: 15_000).listeningSockets()
        }
        #expect(error.description.contains("15000") && error.description.contains("is not open"))
    }

    private func environment(count: String, names: String?, first: Int32) -> ServiceEnvironment {
        var variables = ["LISTEN_PID": "7", "LISTEN_FDS": count]
        variables["LISTEN_FDNAMES"] = names
        return ServiceEnvironment(variables, processID: 7, firstDescriptor: first)
    }
}
