"""The command line: one file per command, each a reading, a call, a showing."""

import click


@click.group()
def main() -> None:
    """Learn readable rules that categorize texts, and find the labels that look wrong."""
