"""The steps of `boostext check`."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import click

from boostext.cli.reading import announce_stdin, tell_corrections, tell_understood
from boostext.cli.talk import Talk
from boostext.corpus.checks import Findings, check
from boostext.corpus.corrections import Corrections
from boostext.corpus.readers import check_names, read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError
from boostext.features.tokenizer import token_reader
from boostext.knowledge.checking import KnowledgeCheck
from boostext.knowledge.reading import read_knowledge
from boostext.reports.findings import knowledge_lines, sections
from boostext.reports.layout import HEAD, page_for
from boostext.settings import DataSettings, TextSettings


def run(
    data: tuple[str, ...],
    talk: Talk,
    *,
    test: tuple[str, ...],
    data_settings: DataSettings,
    text: TextSettings,
    top: int,
    as_json: bool,
    corrections: Corrections,
    knowledge: str | None,
) -> None:
    announce_stdin(data + test, talk)
    settings, bad = replace(data_settings, skip_bad=True), BadRecords()
    compared = read_documents(test, settings, labelled=False) if test else None
    read = read_documents(data, settings, bad, labelled=False)
    documents = corrections.applied(read, every=True)
    known = None
    if knowledge:
        known = KnowledgeCheck(read_knowledge(knowledge), text, data_settings.text)
        documents = known.watch(documents)
    findings = check(documents, bad, compared, token_reader(text))
    tell_understood(bad, talk)
    tell_corrections(corrections, talk)
    check_names(bad, data[0])
    if as_json:
        told = findings.to_dict() | ({"knowledge": known.to_dict()} if known else {})
        click.echo(json.dumps(told, ensure_ascii=False))
        readable(findings)
        return
    page = page_for(sys.stdout)
    for heading, lines in sections(findings, top, page):
        if heading:
            talk.show_line(heading, HEAD)
        for line in lines:
            talk.show_line(line)
    for line in knowledge_lines(known, page) if known else ():
        talk.show_line(line)
    readable(findings)


def readable(findings: Findings) -> None:
    """Data of which no record can be read does not pass."""
    if findings.bad_count and not findings.documents:
        place, message = findings.bad_records[0]
        raise BoostextError(f"no record can be read; the first is {place}: {message}")
