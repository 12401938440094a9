"""The command line: a file for each command, which reads options, calls the library and draws."""

from boostext.cli.program import Program

COMMANDS = {
    "train": "Learn a model from labelled documents.",
    "tune": "Find good settings on the training data alone.",
    "predict": "Label new documents.",
    "inspect": "Show the rules of a model, and the labels that look wrong.",
    "evaluate": "Measure a model on labelled documents.",
    "compare": "Show what changes from one model to another.",
    "crossval": "Measure settings by cross-validation.",
    "suggest": "Suggest which documents to label next.",
    "check": "Show what is in the data: labels, sizes, duplicates.",
    "prune": "Make a model of fewer rules or terms.",
    "export": "Write a model as a file that predicts by itself.",
    "convert": "Rewrite a corpus or a model in another format.",
}
"""name -> the first sentence of its help; the module boostext.cli.NAME is imported when it runs"""

main = Program(
    name="boostext",
    commands_help=COMMANDS,
    help="Learn readable rules that categorize texts, and find the labels that look wrong.",
)
