import Glibc
import Testing

@testable import Systemd

/// What the variables of the environment mean.
@Suite struct ServiceEnvironmentTests {
    @Test(
        arguments: [
            ([:], nil),
            (["WATCHDOG_USEC": "30000000"], .seconds(30)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], .seconds(30)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": ""], nil),
            (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "-5"], nil),
            (["WATCHDOG_USEC": "soon"], nil),
        ] as [([String: String], Duration?)]
    )
    func `the watchdog's time is the manager's, where it watches this process`(
        variables: [String: String],
        timeout: Duration?
    ) {
        #expect(ServiceEnvironment(variables, processID: 7).watchdogTimeout == timeout)
    }

    @Test func `what is taken is not there for a child`() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "1000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            for name in ["NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { setenv(name, "0", 1) }
            let environment = ServiceEnvironment.consume()
            #expect(environment.watchdogTimeout == .seconds(1))
            #expect(ServiceEnvironment.names.count == 6)
            #expect(ServiceEnvironment.names.allSatisfy { getenv($0) == nil })
        }
    }
}
