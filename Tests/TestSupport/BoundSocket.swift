import Glibc

/// Creates a Unix-domain socket and binds it to a path, or to the abstract name after an `@`.
func boundSocket(_ type: __socket_type, at address: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var name = Array(address.utf8)
    if address.hasPrefix("@") { name[0] = 0 }
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let isBound = withUnsafePointer(to: &target) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
    }
    precondition(isBound, "\(address) cannot be bound")
    return descriptor
}
