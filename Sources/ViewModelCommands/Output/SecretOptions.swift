import ArgumentParser

/// The option of the verbs that print values.
struct SecretOptions: ParsableArguments {
    @Flag(
        name: .customLong("show-secrets"),
        help: ArgumentHelp(
            "Print passwords.",
            discussion: "Without it, a value of the format password is \"•••\", also with --output json and for --exec."
        )
    )
    var areShown = false
}
