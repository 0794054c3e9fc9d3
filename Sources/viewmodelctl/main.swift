import Foundation
import ViewModelCommands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// libdispatch asks for priorities of threads that a user is refused, and tells syslog each time. It reads this variable when
// it logs first. The environment may not change while another thread reads it (environ(7)), so this is done first.
setenv("LIBDISPATCH_LOG", "NO", 0)
let status = await ViewModelCtl.execute(Array(CommandLine.arguments.dropFirst()))
exit(status.rawValue)
