import Foundation
import Glibc
import UnixIO
import ViewModelCommands
import ViewModelDeveloperCommands

StandardDescriptors.open()
// A core file would have the passwords that a person has typed.
CoreDumps.forbid()
// libdispatch requests thread priorities, which a restricted process may not set, and logs each failure to syslog. It
// reads this variable before its first log line. The environment must not change while another thread reads it
// (environ(7)), so this precedes all threads.
setenv("LIBDISPATCH_LOG", "NO", 0)
// Swift reads the arguments from /proc/self/cmdline.
guard !ProcessText.arguments.isEmpty else {
    FileHandle.standardError.write(Data("viewmodelctl: The arguments cannot be read. Mount /proc\n".utf8))
    exit(1)
}
let status = await ViewModelCtl.execute(Array(ProcessText.arguments.dropFirst()), adding: developerVerbs)
exit(status.rawValue)
