/// The check that a catalog has what its ViewModels need.
struct CatalogCheck {
    private let services: [any Sendable]
    private let provided: Set<ObjectIdentifier>
    private let models: Set<ObjectIdentifier>
    /// The classes whose dependencies are being checked, from a ViewModel to a model of a model.
    private var path: [String] = []
    private var checkedModels: Set<ObjectIdentifier> = []
    /// The faults, a sentence each.
    private(set) var faults: [String] = []

    init(of catalog: ViewModelCatalog) {
        services = Array(catalog.services.values)
        provided = Set(Dependency.ofSession.keys).union(catalog.services.keys)
        models = Set(catalog.models.keys)
    }

    /// Checks a class and the models that it needs.
    mutating func check(_ name: String, _ dependencies: [Dependency]) {
        path.append(name)
        for dependency in dependencies where !models.contains(dependency.id) {
            if let made = dependency.made {
                check(made, dependency)
            } else if !provided.contains(dependency.id) {
                let fitting = services.filter(dependency.fits)
                if fitting.count != 1 { report(dependency, fitting) }
            }
        }
        path.removeLast()
    }

    /// Adds a fault.
    mutating func report(_ fault: String) { faults.append(fault) }

    private mutating func check(_ made: any Injectable.Type, _ dependency: Dependency) {
        if path.contains(dependency.name) {
            let cycle = (path.drop { $0 != dependency.name } + [dependency.name]).joined(separator: ", which needs ")
            let kind = made is any SharedModel.Type ? "models" : "children"
            faults.append("\(kind) need each other: \(cycle); pass one of them later")
        } else if checkedModels.insert(dependency.id).inserted {
            check(dependency.name, made.dependencies)
        }
    }

    private mutating func report(_ dependency: Dependency, _ fitting: [any Sendable]) {
        let name = dependency.name
        let need = path[0] + " needs " + (path.dropFirst() + [name]).joined(separator: ", which needs ")
        guard fitting.isEmpty else {
            let types = fitting.map { "\(type(of: $0))" }.sorted().joined(separator: " and ")
            faults.append("\(need), and \(types) both fit; write catalog.provide(… as \(name))")
            return
        }
        if dependency.isViewModel {
            faults.append("\(need), a ViewModel; write `@Child` before the constant")
            return
        }
        let remedy =
            if let provision = dependency.provision {
                provision
            } else if dependency.isClass {
                "write @SharedModel on the class, or call catalog.share { … } or catalog.provide(…)"
            } else {
                "call catalog.provide(…)"
            }
        faults.append("\(need), which the catalog does not have; \(remedy) before the daemon starts")
    }
}
