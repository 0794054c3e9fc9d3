import Foundation
import TestSupport
import Testing

@testable import ViewModelCommands
@testable import ViewModelDeveloperCommands

/// The control socket of a gateway that accepts no connection.
///
/// Its queue has a place for one, which is taken.
@Suite(.timeLimit(.minutes(5))) struct GatewayControlTests {
    private let directory: TemporaryDirectory
    private let socket: PassedSocket
    private let first: RawConnection

    init() throws {
        directory = try TemporaryDirectory()
        socket = PassedSocket("\(directory.path)/viewmodel-gateway.sock")
        try #require(listen(socket.descriptor, 0) == 0)
        first = try RawConnection(socket.path)
    }

    private func page() -> Task<GatewayControl.Page, any Error> {
        // Only the cancellation ends the wait within the time limit of the test.
        let control = GatewayControl(directory: directory.path, patience: .seconds(3600))
        return Task { try await control.page(isControlling: false, daemon: "/nowhere") }
    }

    @Test func `waiting for a place in the queue ends with the task`() async throws {
        let page = page()
        page.cancel()
        await #expect(throws: CancellationError.self) { try await page.value }
    }

    @Test func `a place in the queue that becomes free is taken`() async throws {
        let page = page()
        let descriptor = socket.descriptor
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                close(accept(descriptor, nil, nil))
                let accepted = accept(descriptor, nil, nil)
                var buffer = [UInt8](repeating: 0, count: 4096)
                _ = recv(accepted, &buffer, buffer.count, 0)
                let reply = Array("HTTP/1.1 200 OK\r\n\r\n{\"url\":\"http://page\",\"daemon\":\"/here\"}".utf8)
                _ = send(accepted, reply, reply.count, 0)
                close(accepted)
                continuation.resume()
            }
        }
        #expect(try await page.value == GatewayControl.Page(address: "http://page", daemon: "/here"))
    }
}
