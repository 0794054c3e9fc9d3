import ArgumentParser
import Foundation
import PathArguments
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
        do {
            var command: any ParsableCommand
            do {
                let arguments = Array(ProcessText.arguments.dropFirst())
                command = try await GatewayCommand.refusingBytes(in: arguments) { try GatewayCommand.parseAsRoot($0) }
            } catch {
                let code = GatewayCommand.exitCode(for: error)
                GatewayExit.refuseClients(service, code, reason: GatewayCommand.message(for: error))
                throw error
            }
            if let gateway = command as? GatewayCommand {
                try await gateway.start(service)
            } else {
                try command.run()
            }
            try Descriptor.output.finish()
        } catch {
            ProcessArguments.end(
                as: name,
                after: error,
                code: GatewayCommand.exitCode(for: error).rawValue,
                text: GatewayCommand.fullMessage(for: error)
            )
        }
    }
}
