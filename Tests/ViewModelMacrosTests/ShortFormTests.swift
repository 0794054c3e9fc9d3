import Testing

@Suite struct `The expansion of the short form` {
    @Test func `is the explicit form`() {
        let source = #"""
            @ViewModel
            final class Weather {
                /// The town.
                @Field(.session) var town = ""
                @Output private(set) var forecast: Forecast?
                @Output var summary: String { "\(town)" }
                @Event var arrived: String
                /// Renames.
                @Input func rename(_ id: Int, to name: String?) throws {}
                @Action(.latest, enabled: \Weather.canLook)
                func look() async throws(LookFailure) -> Forecast {}
            }
            """#
        #expect(
            expanded(source).replacing(#/ *#sourceLocation\(.*\)\n/#, with: "") == #"""
                final class Weather {
                    /// The town.
                    var town {
                    get { $town.value }
                    set { $town.value = newValue }
                    _modify { yield &$town.value }
                    }

                    let $town = ViewModelKit.Cell("", restoring: "town")
                    private(set) var forecast: Forecast? {
                    get { $forecast.value }
                    set { $forecast.value = newValue }
                    _modify { yield &$forecast.value }
                    }

                    let $forecast = ViewModelKit.Cell<Forecast?>(nil)
                    var summary: String { "\(town)" }
                    var arrived: String {
                    @available(*, unavailable, message: "An event has no value; send one with $arrived.send(…)")
                    get { fatalError("an event has no value") }
                    }

                    let $arrived = ViewModelKit.Event<String>()
                    /// Renames.
                    func rename(_ id: Int, to name: String?) throws {}

                    var $rename: ViewModelKit.Input<Inputs.RenameParameters> { inputs.rename }
                    func look() async throws(LookFailure) -> Forecast {}

                    var $look: ViewModelKit.Action<Void, Forecast> { actions.look }

                    struct Inputs {
                        struct RenameParameters: ViewModelKit.Schemable, Equatable {
                            let id: Int
                            let to: String?
                            static var schema: ViewModelKit.Schema {
                                .object([
                                    .init("id", .of(Int.self)),
                                    .init("to", .of(String?.self), required: false),
                                ])
                            }
                        }
                        let town: ViewModelKit.Input<String>
                        let rename: ViewModelKit.Input<RenameParameters>
                    }

                    private(set) lazy var inputs = makeInputs()

                    private func makeInputs() -> Inputs {
                        Inputs(
                            town: Input(assigningTo: $town),
                            rename: Input { [unowned self] parameters in try self.rename(parameters.id, to: parameters.to) }
                        )
                    }

                    struct Outputs {
                        let town: ViewModelKit.Output<String>
                        let forecast: ViewModelKit.Output<Forecast?>
                        let summary: ViewModelKit.Output<String>
                        let arrived: ViewModelKit.Event<String>
                    }

                    private(set) lazy var outputs = makeOutputs()

                    private func makeOutputs() -> Outputs {
                        Outputs(
                            town: Output($town),
                            forecast: Output($forecast),
                            summary: Output { [unowned self] in self.summary },
                            arrived: $arrived
                        )
                    }

                    struct Actions {
                        let look: ViewModelKit.Action<Void, Forecast>
                    }

                    private(set) lazy var actions = makeActions()

                    private func makeActions() -> Actions {
                        Actions(
                            look: Action(enabled: Derived(of: self, \Weather.canLook)) { try await self.look() }
                        )
                    }
                }

                extension Weather: ViewModelKit.ViewModel {
                    static let contract = ViewModelKit.ViewModelContract<Weather>(
                        name: "weather",
                        description: "",
                        members: { members in
                            members.append(.input("town", "The town.") { $0.inputs.town })
                            members.append(.output("town", "The town.") { $0.outputs.town })
                            members.append(.output("forecast", "") { $0.outputs.forecast })
                            members.append(.output("summary", "") { $0.outputs.summary })
                            members.append(.output("arrived", "") { $0.outputs.arrived })
                            members.append(.input("rename", "Renames.") { $0.inputs.rename })
                            members.append(.actionWithoutParameters("look", "", policy: .latest, failures: LookFailure.failures) { $0.actions.look })
                        }
                    )
                }
                """#
        )
    }
}
