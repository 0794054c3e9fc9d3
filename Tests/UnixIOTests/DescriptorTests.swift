import Glibc
import Testing
import UnixIO

@Suite struct DescriptorTests {
    @Test func `a full device is an error`() throws {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(throws: OutputError(cause: SystemError(code: ENOSPC))) {
            try Descriptor(number: descriptor).write([1])
        }
    }

    @Test func `a pipe without a reader is an error of its own`() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try DescriptorPipe()
        close(pipe.output)
        defer { close(pipe.input) }
        #expect(throws: ClosedPipe.self) { try Descriptor(number: pipe.input).write([1]) }
    }

    @Test func `a child does not inherit a pipe`() throws {
        let pipe = try DescriptorPipe()
        for end in [pipe.output, pipe.input] {
            #expect(fcntl(end, F_GETFD) == FD_CLOEXEC)
            close(end)
        }
    }

    @Test func `everything arrives through a pipe that does not block`() async throws {
        let pipe = try DescriptorPipe()
        try #require(fcntl(pipe.input, F_SETFL, O_NONBLOCK) == 0)
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        async let read = Self.readAll(pipe.output)
        try Descriptor(number: pipe.input).write(bytes)
        close(pipe.input)
        #expect(await read == bytes)
    }

    @concurrent private static func readAll(_ descriptor: Int32) async -> [UInt8] {
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        close(descriptor)
        return bytes
    }
}
