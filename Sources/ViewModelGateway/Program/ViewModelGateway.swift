import Foundation
import Systemd
import UnixIO
import ViewModelConfiguration
import ViewModelProtocol

/// The program `viewmodel-gateway`: ViewModels for browsers.
package enum ViewModelGateway {
    /// The name of the program, after which its files and directories are called.
    package static let name = "viewmodel-gateway"

    /// Runs the program of the command line until SIGTERM, SIGINT, or a time without connections.
    ///
    /// Call it first in `main.swift`, before the process has other threads. It returns if the gateway was asked to stop,
    /// and ends the process with an exit code otherwise.
    package static func run() async {
        StandardDescriptors.open()
        ProcessArguments.require(as: name, reading: .viewmodeld)
        CoreDumps.forbid()
        // libdispatch requests thread priorities, which a restricted process may not set, and logs each failure.
        setenv("LIBDISPATCH_LOG", "NO", 0)
        // The environment must not change while another thread reads it (environ(7)), so this precedes all threads.
        let service = ServiceEnvironment.consume()
        await ProcessArguments.run(GatewayCommand.self, as: name) { code, reason in
            GatewayExit.refuseClients(service, code, reason: reason)
        } start: {
            try await $0.start(service)
        }
    }
}
