/// The instances of a session by id, in the order of their creation.
struct InstanceTable {
    private(set) var all: [Instance] = []
    private var byID = NameTable<Instance>()

    var count: Int { all.count }

    func find(_ id: UnsafeRawBufferPointer) -> Instance? { byID.find(id) }

    func find(_ id: String) -> Instance? { byID.find(id) }

    mutating func add(_ instance: Instance) {
        all.append(instance)
        byID[Array(instance.id.utf8)] = instance
    }

    mutating func remove(_ instance: Instance) {
        all.removeAll { $0 === instance }
        byID[Array(instance.id.utf8)] = nil
    }
}
