"""The three diagrams of seed 003."""

# The diagrams: id of the requirement, from, to. "*" is [*].
DIAGRAMS = {
    "lifecycle": [
        ("003-16", "*", "init"), ("003-17", "init", "proposed"),
        ("003-18", "proposed", "challenged"), ("003-19", "proposed", "rejected"),
        ("003-20", "proposed", "proposed"), ("003-21", "challenged", "implementing"),
        ("003-22", "implementing", "complete"), ("003-23", "implementing", "implementing"),
        ("003-24", "complete", "archived"), ("003-25", "archived", "end"),
        ("003-26", "rejected", "end"), ("003-27", "end", "*"),
    ],
    "plan": [
        ("003-40", "*", "start"), ("003-41", "start", "proposed"),
        ("003-42", "proposed", "validating"), ("003-43", "validating", "challenging"),
        ("003-44", "validating", "manual_fix"), ("003-45", "challenging", "challenged"),
        ("003-46", "challenged", "approved"), ("003-47", "challenged", "rejected"),
        ("003-48", "challenged", "iteration_check"),
        ("003-49", "iteration_check", "reproposing"),
        ("003-50", "iteration_check", "manual_fix"), ("003-51", "reproposing", "challenging"),
        ("003-52", "approved", "end"), ("003-53", "rejected", "end"),
        ("003-54", "manual_fix", "end"), ("003-55", "end", "*"),
    ],
    "impl": [
        ("003-90", "*", "start"), ("003-91", "start", "challenged"),
        ("003-92", "challenged", "implementing"), ("003-93", "implementing", "reviewing"),
        ("003-94", "reviewing", "complete"), ("003-95", "reviewing", "iteration_check"),
        ("003-96", "reviewing", "manual_fix"), ("003-97", "iteration_check", "resolving"),
        ("003-98", "iteration_check", "manual_fix"), ("003-99", "resolving", "reviewing"),
        ("003-100", "complete", "end"), ("003-101", "manual_fix", "end"),
        ("003-102", "end", "*"),
    ],
}
