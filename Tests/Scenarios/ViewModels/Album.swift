import ViewModelKit

/// An album with an instance for each photo, a list of children, and one for the enlarged photo, an optional child.
@ViewModel
final class Album {
    /// A photo; the id is that of its instance.
    @Schemable
    struct Entry: Identifiable {
        let id: String
        let title: String
    }

    /// The photos, the oldest first.
    @Output(.session) var photos: Rows<Entry> = []
    /// The instance of the enlarged photo, null without one.
    @Output(.session) private(set) var enlarged: String?

    private let instances: Instances

    init(instances: Instances) throws {
        self.instances = instances
        for photo in photos { try instances.open(Photo.self, id: photo.id, arguments: Photo.Arguments(title: "lost")) }
    }

    /// Adds a photo.
    @Input func add(_ title: String) throws {
        let id = try instances.open(Photo.self, arguments: Photo.Arguments(title: title))
        photos.append(Entry(id: id, title: title))
    }

    /// Enlarges a photo in an instance of this id.
    @Action func enlarge(id: String, title: String) throws -> String {
        let id = try instances.open(Photo.self, id: id, arguments: Photo.Arguments(title: title))
        enlarged = id
        return id
    }

    /// Closes the enlarged photo.
    @Input func shrink() {
        if let enlarged { instances.close(enlarged) }
        enlarged = nil
    }

    /// Closes an instance, and returns whether that is possible.
    @Action func discard(_ id: String) -> Bool { instances.close(id) }

    /// Closes the enlarged photo and opens it under the same id.
    @Action func replace() throws {
        guard let enlarged else { return }
        instances.close(enlarged)
        try instances.open(Photo.self, id: enlarged, arguments: Photo.Arguments(title: "new"))
    }

    /// Opens an instance of a type that is not hosted.
    @Action func stray() throws { try instances.open(Stray.self) }
}

/// A photo, whose title decides what its init does.
@ViewModel
final class Photo {
    @Schemable
    struct Arguments {
        @Bounds(1...20) let title: String
    }

    /// The title.
    @Output private(set) var title: String
    /// How often somebody has looked.
    @Output(.session) private(set) var looks = 0

    private let instances: Instances
    private let clock: SessionClock

    init(_ arguments: Arguments, instances: Instances, clock: SessionClock) throws {
        title = arguments.title
        self.instances = instances
        self.clock = clock
        switch arguments.title {
        case "pair": try instances.open(Photo.self, id: "other", arguments: Arguments(title: "other"))
        case "endless": try instances.open(Photo.self, arguments: arguments)
        case "itself": try instances.open(Photo.self, id: instances.id, arguments: arguments)
        case "torn":
            try instances.open(Photo.self, arguments: Arguments(title: "half"))
            throw InvalidValue(path: "/title", expected: "a whole photo", value: arguments.title)
        default: break
        }
    }

    /// Looks once more.
    @Input func look() { looks += 1 }

    /// Looks a last time, and closes the photo.
    @Action func close() -> String {
        looks += 1
        instances.close(instances.id)
        return title
    }

    /// Closes the photo and goes on, also after that.
    @Action func closeEarly() async throws {
        instances.close(instances.id)
        try? await clock.sleep(for: .seconds(1))
        try instances.open(Photo.self, id: "late", arguments: Arguments(title: "late"))
    }
}

/// A ViewModel that closes its instance when a client binds it or tells it something.
@ViewModel
final class Ghost: BindingObserver {
    /// A number.
    @Output private(set) var number = 0

    private let instances: Instances

    /// Closes the instance.
    @Input func tell(_ text: String) { instances.close(instances.id) }

    func bindingsChanged(to count: Int) { instances.close(instances.id) }

    func willBeRead() {}
}

/// A ViewModel that no catalog hosts.
@ViewModel
final class Stray {
    /// A number.
    @Output private(set) var number = 0
}
