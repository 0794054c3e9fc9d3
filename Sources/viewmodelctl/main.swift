import Foundation
import ViewModelCommands

let status = await ViewModelCtl.execute(Array(CommandLine.arguments.dropFirst()))
exit(status.rawValue)
