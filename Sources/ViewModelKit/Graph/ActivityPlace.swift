internal import CUnixIO

/// The names of a session, or of an instance and its members, for the log of what a thread runs.
///
/// A signal handler reads them when a trap ends the process, and so does the watch of the loops.
package final class ActivityPlace {
    let pointer: UnsafeMutablePointer<activity_place>

    /// Creates the place of a session; an anonymous one has no name.
    package convenience init(uid: UInt32, session: String?) {
        self.init(uid, [session ?? ""])
    }

    /// Creates the place of an instance in a session.
    package convenience init(instance: String, members: [String], in session: ActivityPlace) {
        let name = activity_place_text(session.pointer, 0).map { String(cString: $0) } ?? ""
        self.init(session.pointer.pointee.uid, [name, instance] + members)
    }

    private init(_ uid: UInt32, _ texts: [String]) {
        let text = texts.joined(separator: "\0")
        // The C string of a text has a NUL at its end.
        pointer = text.withCString { activity_place_make(uid, Int32(texts.count), $0, UInt(text.utf8.count + 1)) }
        pointer.pointee.owner = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        activity_place_free(pointer)
    }
}

/// A member of an instance as the code that runs.
package struct Activity {
    let place: ActivityPlace
    /// The index of the name among those of the place, or -1.
    let member: Int

    package init(_ place: ActivityPlace, member: Int = -1) {
        self.place = place
        self.member = member
    }

    /// The name, such as `weather.look`; nil if only the session is known.
    package var name: String? {
        guard let instance = activity_place_text(place.pointer, 1) else { return nil }
        let member = member < 0 ? nil : activity_place_text(place.pointer, member + 2)
        return String(cString: instance) + (member.map { ".\(String(cString: $0))" } ?? "")
    }

    /// What the calling thread runs; nil while it runs no author's code.
    package static var current: Activity? {
        let activity = thread_activity_current().pointee
        guard let owner = activity.place?.pointee.owner else { return nil }
        return Activity(Unmanaged<ActivityPlace>.fromOpaque(owner).takeUnretainedValue(), member: activity.member)
    }
}

/// What tasks run, also while they wait for a service.
extension Activity {
    /// Names the code of a task, until ``end(of:)``.
    func begin(in task: Task<Void, Never>) {
        _ = Unmanaged.passRetained(place)
        task_activity_set(unsafeBitCast(task, to: UnsafeRawPointer.self), place.pointer, member)
    }

    /// Ends the name of a task's code, if it has one.
    static func end(of task: Task<Void, Never>) {
        let place = task_activity_remove(unsafeBitCast(task, to: UnsafeRawPointer.self))
        guard let owner = place?.pointee.owner else { return }
        Unmanaged<ActivityPlace>.fromOpaque(owner).release()
    }
}

/// What runs in the steps of the graph.
extension Graph {
    /// Lets the line about a trap name the output that a graph computes.
    static func nameComputations() {
        // The handler of a signal calls the closure, which allocates nothing and takes no lock.
        trap_report_name_computations { graph in
            Unmanaged<Graph>.fromOpaque(graph).takeUnretainedValue().evaluating?.name
        }
    }

    /// Names the code that a job of the session runs in the next step.
    ///
    /// The job of a task that goes on is the task itself.
    package func enter(_ job: UnownedJob) {
        var (place, member) = (UnsafePointer(self.place.pointer), -1)
        if task_activity_get(unsafeBitCast(job, to: UnsafeRawPointer.self), &place, &member) != 0 {
            thread_activity_set_place(thread_activity_current(), place, member)
        }
    }

    /// Names the code that the next step, or the rest of the running one, runs.
    ///
    /// The end of the step, or ``leave()``, ends it.
    @inline(never)
    package func enter(_ place: ActivityPlace, member: Int = -1) {
        thread_activity_set_place(thread_activity_here(), place.pointer, member)
    }

    /// Names the code that runs outside of a step, until ``leave()``.
    package func enterOutsideOfStep(_ place: ActivityPlace) {
        enter(place)
        thread_activity_enter(thread_activity_current())
    }

    /// Ends what ``enterOutsideOfStep(_:)`` has begun.
    package func leave() {
        if !isStepping { thread_activity_leave(thread_activity_current()) }
    }

    /// Names the code that `body` runs as a part of the running step.
    func running<Result>(_ activity: Activity?, _ body: () throws -> Result) rethrows -> Result {
        guard let activity else { return try body() }
        let outer = Activity.current
        enter(activity.place, member: activity.member)
        defer { if let outer { enter(outer.place, member: outer.member) } }
        return try body()
    }
}
