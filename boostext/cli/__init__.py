"""The command line: one file for each command, which reads options, calls the library and draws."""

from boostext.cli.program import Program

COMMANDS = {
    "train": "Learn a model from labelled documents.",
    "tune": "Find good settings on the training data alone.",
    "predict": "Label new documents.",
    "inspect": "Show the rules of a model, and likely label errors.",
    "evaluate": "Measure a model on labelled documents.",
    "compare": "Compare the results of two models.",
    "crossval": "Measure settings by cross-validation.",
    "suggest": "Suggest which documents to label next.",
    "check": "Show the contents of the data: labels, sizes, duplicates.",
    "prune": "Reduce a model to fewer rules or terms.",
    "export": "Write a model as a file that makes predictions by itself.",
    "convert": "Convert a corpus or a model to another format.",
}
"""The first sentence of the help of each command; boostext.cli.NAME is imported when it runs."""

main = Program(
    name="boostext",
    commands_help=COMMANDS,
    help="Learn readable rules that classify texts, and find likely label errors.",
)
