/// A mistake in the declaration of a ViewModel or of a value on the wire.
///
/// Its sentence has the correct form. `%0`, `%1` and `%2` stand for the names that a report gives.
enum Mistake: String {
    // MARK: The class

    case notAClass = "@ViewModel applies to a final class; write `final class %0`"
    case notFinal = "A ViewModel is a final class; write `final class %0`"
    case generic = """
        A ViewModel has one contract, so it cannot be generic; write `final class %0` and pass the varying part to its \
        initialiser
        """
    case foreignAttribute = "The session runs this class, and clients follow its outputs; remove `@%0`"
    case nameNotLiteral = """
        The name is known when the code is compiled; write a string literal such as @ViewModel("calculator")
        """
    case invalidName = """
        `%0` cannot be a name on the wire; write @ViewModel("…") with a letter and up to 63 letters, digits, `_` or `-` \
        after it
        """
    case reservedName = "The protocol keeps the name `%0` for itself; write @ViewModel(\"…\") with another one"

    // MARK: Attributes

    case misplaced = "@%0 applies to %1"
    case outsideViewModel = """
        @%0 declares a member that clients see; write it in the body of a class with @ViewModel, not in an extension
        """
    case attributeOfType = "@%0 declares a member of an instance; remove `static`"

    case pathWithoutClass = "Swift needs the class in a key path of an attribute; write `%0`"
    case notAPath = "A condition is a property by its key path; write `\\%0.isReady`, and `var isReady: Bool { … }`"

    // MARK: Initialisers

    case suspendingInit = "An `init` ends within a step; load in an action with `runs: .atOpen`"
    case failableInit = "An `init` makes the object or throws an error; write `init(…) throws`"
    case missingValue = "`%0` has no value; write one here or in an `init`%1"

    // MARK: Members in both forms

    case conditional = "%0 cannot know which branch of `#if` applies; write %1 without it%2"
    case pattern = "Each %0 has its own name and type; write one `%1` for each"
    case invalidMemberName = """
        `%0` cannot be a member's name on the wire; write a lower-case letter and then only letters and digits without \
        accents
        """
    case sameName = "`%0` has a member `%1`, too, and %2; write another name"
    case twice = "`%0` has two members `%1`; write another name"
    case listedPolicy = """
        Executions are listed if there may be several; write `%0(.concurrent(limit: 2)…)`, `.concurrent` or `.queued`
        """

    // MARK: The groups and their constants

    case groupNotAStruct = "`%0` is a struct; write `struct %0`"
    case missingProperty = "`%0` needs a stored property; write `let %1: %0`"
    case missingStruct = """
        `%1` is described by a nested struct; write `struct %0 { … }` inside the class, or give the property another name
        """
    case propertyNotLet = "`%1` is stored and never changes; write `let %1: %0`"
    case propertyOfOtherType = "`%1` holds the nested struct; write `let %1: %0`"
    case bothForms = """
        @ViewModel writes `%0` from the members with attributes; write all members of the class in one form
        """
    case memberNotLet = "A member never changes, only its value does; write `let %0`"
    case memberComputed = "`%0` has stored members only; write `let %1` and set it in the initialiser"
    case memberStatic = "`%0` has members of its instances only; write `let`, or move this out of `%0`"
    case memberPrivate = "Clients see each member of `%0`; write it without `private`, or move it to the class"
    case notAMember = "`%0` has only `let` members, each %1; write this in the class"
    case memberOfOtherType = "Each member of `%0` is %1; write %2"
    case tupleArgument = "A tuple cannot be sent; make it a struct with @Schemable"

    // MARK: Properties with an attribute

    case memberWithoutType = "@ViewModel reads the type of a member from its declaration; write `%1 %0: …`"
    case valueNotVar = "The value changes; write `var %0`"
    case computedField = """
        A field keeps what clients type; write `@Field var %0` with a value, or `@Output var %0` for a computed property
        """
    case storedRows = """
        @Rows applies to a computed array; write `@Rows var %0: [Row] { … }`, or `@Output var %0: Rows<Row> = []` for a \
        list that is edited
        """
    case storedSample = "A value that changes with time is computed; write `@Output(every: …) var %0: Value { … }`"
    case rowWithoutType = "@ViewModel reads the type of the shown rows from an initialiser; write `@Rows(of: Row.init)`"
    case eventWithValue = "An event has a type and no value; write `@Event var name: Value`"
    case suspendingOutput = """
        An output is computed within a step and always has a value; write an action that sets a stored `@Output var %0`
        """
    case eventSent = "An event has no value; write `$%0.send(…)`"
    case storageModifier = "The value of a member is in a cell; remove `%0`"
    case computedEvent = """
        A computed event is that of a shared model; write `@Event var %0: Event<Value> { model.%0 }`, or \
        `@Event var %0: Value` for an event of this ViewModel
        """
    case observedProperty = """
        Observers would run on the macro's accessors; write what follows from the value as a computed property, or in a \
        function that changes it
        """
    case nameOfGroup = "@ViewModel writes a property `%0` for the members with attributes; write another name"
    case listAsField = """
        A list is edited and not set as a whole; write `@Output var %0` and an `@Input func` for each edit
        """
    case listWithSetter = "A list is edited and never set; remove `%0`. Clients cannot edit it"
    case rowsWithCall = "The list is created by the macro; write its rows as an array literal, or `= []`"
    case persistence = "A value is saved in one place; write `.session`, `.user` or `.daemon`"
    case formerUnsaved = "A value that is not saved has no former name; write `(.session, formerly: …)`, or remove it"
    case computedPersistence = "A computed property is not saved; save the properties that it reads"
    case listAssigned = "A list is edited and not set; write `%0.replaceAll(with: …)`"
    case privateMember = "Clients see each member with @%0; write it without `private`"
    case severalChildren = """
        A child is one ViewModel for the life of its parent; let `%0` be an output with the id of an instance, or rows with such \
        ids: `private let instances: Instances`, and `instances.open(…)` in an input or action
        """
    case childNotLet = "A child lives as long as its parent; write `let %0`"

    case cycle = "`%0` reads itself%1; compute %2 from other values"
    case untracked = """
        `%0` is a plain variable, so `%1` keeps its old value when it changes; write `@State var %0`, or `let`
        """

    case untrackedModel = """
        `%0` is a plain variable, so outputs that read `%1` and are not sampled keep their old values when it changes; \
        write `@State var %0`, or `let`
        """
    case time = """
        Time passes without a change, so `%0` keeps its old value; write `@Output(every: …)` with the session's clock, \
        or let a timer set a `@State`
        """

    // MARK: Functions with an attribute

    case genericMember = "A member of a contract has one type; write the function without generic parameters"
    case asyncInput = "An input ends within its step; write `@Action func %0` for work that suspends"
    case inputWithResult = "An input has no result; write `@Action func %0`, or show the result in an output"
    case inputWithFailures = "An input refuses a value with `InvalidValue`; write `@Action func %0` for `throws(%1)`"
    case valueWithDefault = """
        A value alone cannot be left out; give the parameter a label, or remove the default value
        """
    case limit = "At least one execution runs; write `limit: 1`, or more"
    case executionWithoutAsync = "Only an action that suspends has an execution; write `func %0(…) async`"
    case executionNotLast = "`Execution` comes last; write `func %0(…, _ execution: Execution) async`"
    case listedWithoutAsync = "An action that cannot suspend has no executions to list; write `func %0(…) async`"
    case unknownID = "`id` is the name of a parameter as a literal; %0"
    case idWithDefault = "The id of an execution cannot be left out; remove the default value"
    case runsWithParameters = """
        An action with params does not run by itself; call it in `init` with `$name.run(…)`, or remove the params
        """
    case lostChange = """
        A change while the action executes would be lost; write `.latest`, `.queued` or `.concurrent`
        """
    case specialType = "Clients send and get plain values; write the type without `inout`, `…`, `!`, `some` and `->`"
    case tupleParameter = "A tuple has no names on the wire; write several parameters, or a struct with @Schemable"
    case parameterName = "`%0` cannot be the name of a member of the params; write another name"
    case sameParameter = "Two members of the params are called `%0`; give one another label"

    // MARK: Bodies

    case captureList = """
        In Swift 6.3 a closure that suspends and has a capture list leaves the session; remove the list, the framework \
        releases the closure with the instance
        """
    case localAsyncFunction = """
        In Swift 6.3 a local `async` function that captures can leave the session; write `%0` as a method, or move its \
        body into the action
        """
    case asyncLet = """
        An `async let` runs outside of the session, without the object; copy what it needs before: `let %0 = %0`
        """
    case ownTask = """
        This code leaves the session; write an action and call its `run()`, `follow` a sequence, or use \
        `clock.timer(after:)`
        """
    case droppedTimer = "A timer that is released is cancelled; keep it in a property of the type `SessionTimer?`"
    case incompleteOwner = """
        %0 is not complete before the last group is assigned; write the members in the short form, or move %1 to a model \
        that `init` creates
        """
    case cellAsOutput = "Clients see an output, not the value behind it; write `%0`"

    // MARK: Values on the wire

    case nestedPrivate = "The conformance is written outside of the enclosing type; write `fileprivate`"
    case ownCoding = """
        The coding of `%0` is written by hand, so its declaration does not show its shape; write \
        `static var schema: Schema { … }`, too
        """
    case ownEquality = "The operator `==` of `%0` is written by hand; write `%0: Equatable`"
    case unknownType = "@Schemable reads the type of a property from its declaration; write `var %0: … = …`"
    case codingKeysNotAnEnum = """
        @Schemable reads the names from the cases of an enum; write `enum CodingKeys: String, CodingKey`, or write \
        `static var schema: Schema { … }`
        """
    case rawType = "An enum on the wire is a string or an integer, not a `%0`; write `enum %1: String`"
    case noCases = "A value of `%0` is one of its cases; write at least one"
    case unnamedDetail = "A detail has a name on the wire; write `case name(detail: Value)`"
    case failureName = "@Failure writes a property `%0`; give the case another name"
    case modelWithoutFactory = """
        @SharedModel creates the class from the types of its parameters; write one `init` that is not private and has \
        plain types, or register the class with `catalog.share { … }`
        """

    // MARK: Bounds

    case boundsOfType = "@Bounds applies to numbers, strings and arrays; a `%0` has no bounds"
    case patternOfType = "A pattern applies to strings, not to a `%0`"
    case boundsPattern = "The pattern is not a regular expression that can be checked: %0"
    case boundsOfValue = "The parameter has no label, so it is the value itself; remove its name"
    case boundsOfProperty = "A property has one value; remove %0"
    case boundsWithoutParameter = "@Bounds names a parameter of the function; %0"

    /// Returns the sentence with these names.
    func sentence(_ names: [String]) -> String {
        // A name of one report may look like the place of another.
        rawValue.replacing(/%(\d)/) { match in
            Int(match.1).flatMap { names.indices.contains($0) ? names[$0] : nil } ?? ""
        }
    }
}
