package import NIOCore
import UnixIO

extension ChannelPipeline.SynchronousOperations {
    /// Sets the close-on-exec flag of a socket that NIO has made.
    package func setCloseOnExec() throws {
        try withUnsafeTransportIfAvailable { (socket: NIOBSDSocket.Handle) in CloseOnExec.set(socket) }
    }
}
