"""What broke for users of tools like this one, and the test that keeps it from happening here.

Each row names a failure by what a good tool does instead, and the test that holds it.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MORE = "cli/test_pitfalls.py"

ROWS = [
    ("CLI", "commands cover the whole loop", MORE, "test_the_whole_loop_is_commands"),
    (
        "Input",
        "blank lines give no predictions and are counted",
        "cli/test_predict.py",
        "test_blank_lines_give_no_result_and_are_told",
    ),
    ("Input", "a long line is one document", MORE, "test_a_line_of_megabytes_is_one_document"),
    ("Input", "text may hold any separator", MORE, "test_text_may_hold_any_separator"),
    (
        "Input",
        "file, stdin and option give one score, newlines inside or not",
        "cli/test_predict.py",
        "test_the_same_text_has_the_same_score_by_every_way_in",
    ),
    ("Input", "every open names its encoding", MORE, "test_a_lint_holds_that_encodings_are_named"),
    (
        "Input",
        "CRLF and byte order marks change nothing",
        MORE,
        "test_line_ends_and_marks_change_nothing",
    ),
    ("Input", "a CSV field may be long", MORE, "test_a_csv_field_may_be_longer_than_128_kilobytes"),
    (
        "Input",
        "a mark before a quoted header is no error",
        MORE,
        "test_line_ends_and_marks_change_nothing",
    ),
    (
        "Input",
        "another delimiter is found by the header alone, and told",
        MORE,
        "test_another_delimiter_is_found_and_told",
    ),
    ("Input", "a ragged row is told with its line", MORE, "test_a_ragged_row_is_told_or_skipped"),
    (
        "Input",
        "a bare string is not taken by the letter",
        "test_training.py",
        "test_a_bare_path_is_not_taken_letter_by_letter",
    ),
    (
        "Input",
        "wrong bytes are an error unless replacing is asked for",
        MORE,
        "test_wrong_bytes_are_an_error_or_counted",
    ),
    ("Tokens", "one-letter tokens are kept", MORE, "test_tokens_of_one_letter_are_kept"),
    (
        "Tokens",
        "an empty vocabulary is told filter by filter",
        MORE,
        "test_an_empty_vocabulary_is_told_filter_by_filter",
    ),
    (
        "Empty",
        "an empty document has a result",
        "cli/test_predict.py",
        "test_the_same_text_has_the_same_score_by_every_way_in",
    ),
    ("Labels", "no separator is guessed", MORE, "test_a_comma_in_a_label_is_part_of_it"),
    (
        "Labels",
        "labels that are nearly alike are warned of",
        "test_training.py",
        "test_warnings_tell_what_is_probably_not_meant",
    ),
    (
        "Labels",
        "names come out as they went in",
        "cli/test_predict.py",
        "test_label_names_come_out_as_they_went_in",
    ),
    (
        "Labels",
        "two labels are an error where one is asked for",
        "cli/test_train.py",
        "test_single_label_data_is_checked_where_that_is_asked_for",
    ),
    ("Labels", "letters are written as letters", MORE, "test_letters_are_written_as_letters"),
    ("Labels", "any column by name or number", MORE, "test_columns_go_by_any_name_or_by_number"),
    ("Labels", "repeated ids are told", "cli/test_check.py", "test_findings_for_people"),
    ("Labels", "what is in the data can be asked", "cli/test_check.py", "test_findings_as_json"),
    (
        "Unseen",
        "labels the model lacks are misses and told",
        "cli/test_evaluate.py",
        "test_labels_that_the_model_lacks_are_misses_and_told",
    ),
    (
        "Unseen",
        "--strict makes them an error",
        "cli/test_evaluate.py",
        "test_strict_makes_an_unknown_label_an_error_with_its_line",
    ),
    (
        "Unseen",
        "validation data may have them",
        "test_training.py",
        "test_warnings_tell_what_is_probably_not_meant",
    ),
    (
        "Imbalance",
        "labels can be balanced",
        "test_training.py",
        "test_balanced_makes_labels_weigh_the_same_in_sum",
    ),
    (
        "Imbalance",
        "weights per document",
        "test_training.py",
        "test_a_document_of_weight_two_counts_as_two",
    ),
    (
        "Imbalance",
        "the baseline is told, and a warning given",
        "cli/test_train.py",
        "test_a_model_that_is_no_better_than_guessing_is_warned_of",
    ),
    (
        "Memory",
        "an estimate before the run",
        "cli/test_train.py",
        "test_a_dry_run_tells_sizes_and_writes_nothing",
    ),
    ("Memory", "nothing is densified", MORE, "test_many_terms_and_documents_take_little_memory"),
    (
        "Repro",
        "bytes do not depend on threads",
        "cli/test_train.py",
        "test_the_same_call_writes_the_same_bytes",
    ),
    (
        "Repro",
        "the seed is fixed, told and kept",
        "cli/test_train.py",
        "test_the_result_goes_to_stdout_and_talk_to_stderr",
    ),
    (
        "Threads",
        "affinity and quota, not the machine",
        "test_threads.py",
        "test_the_quota_of_every_group_above_counts",
    ),
    (
        "Threads",
        "OMP_NUM_THREADS goes before",
        "test_threads.py",
        "test_the_environment_goes_before",
    ),
    ("Threads", "affinity counts", "test_threads.py", "test_affinity_counts"),
    (
        "Numba",
        "nothing heavy at the start",
        "cli/test_program.py",
        "test_help_imports_nothing_heavy",
    ),
    (
        "Numba",
        "help is quick",
        "cli/test_program.py",
        "test_help_takes_less_than_a_fifth_of_a_second_of_the_processor",
    ),
    (
        "Model",
        "places are tried before data is read",
        "cli/test_train.py",
        "test_a_place_that_cannot_be_written_is_told_before_data_is_read",
    ),
    ("Model", "one file explains too", MORE, "test_a_model_that_was_moved_explains"),
    (
        "Model",
        "prediction has no options of features",
        MORE,
        "test_prediction_has_no_options_of_features",
    ),
    ("Model", "other files are told apart", MORE, "test_what_is_no_model_is_told_as_what_it_is"),
    (
        "Resume",
        "the very bytes of an unbroken run",
        "cli/test_train.py",
        "test_resume_goes_on_to_the_bytes_of_an_unbroken_run",
    ),
    (
        "Resume",
        "every difference is listed",
        "test_training.py",
        "test_going_on_with_anything_else_lists_every_difference",
    ),
    ("Resume", "rounds may grow", "test_training.py", "test_rounds_may_grow_from_a_finished_model"),
    (
        "Resume",
        "signals save",
        "cli/test_signals.py",
        "test_the_first_signal_ends_the_round_and_saves",
    ),
    (
        "Output",
        "scores and probabilities are named",
        "cli/test_predict.py",
        "test_scores_and_probabilities_have_names_of_their_own",
    ),
    (
        "Output",
        "top and threshold",
        "cli/test_predict.py",
        "test_top_gives_scores_of_so_many_labels_greatest_first",
    ),
    (
        "Output",
        "thresholds per label",
        "cli/test_evaluate.py",
        "test_tuned_thresholds_are_kept_in_the_second_model",
    ),
    (
        "Output",
        "labels are lists",
        "cli/test_predict.py",
        "test_tsv_has_a_row_a_document_under_named_columns",
    ),
    (
        "Output",
        "all scores, in named columns",
        "cli/test_predict.py",
        "test_csv_names_a_column_for_every_label",
    ),
    (
        "Explain",
        "rules as a table and as data",
        "cli/test_inspect.py",
        "test_json_tells_the_rules_of_the_model",
    ),
    (
        "Explain",
        "scores add up, words as found",
        "cli/test_predict.py",
        "test_an_explanation_as_json_adds_up_and_shows_the_words_as_found",
    ),
    (
        "Explain",
        "a table can be cut to the strongest",
        "cli/test_inspect.py",
        "test_rules_and_strongest_terms_are_shown",
    ),
    (
        "Explain",
        "offsets are into the text as given",
        "test_explanations.py",
        "test_offsets_are_into_the_text_as_given",
    ),
    (
        "Explain",
        "a worked document in the report",
        "reports/test_page.py",
        "test_a_document_is_worked_out",
    ),
    (
        "Explain",
        "marks cut no letter of any script",
        "reports/test_marks.py",
        "test_no_letter_is_cut",
    ),
    (
        "Explain",
        "pieces give back the text",
        "reports/test_marks.py",
        "test_pieces_give_back_the_text_whatever_is_marked",
    ),
    (
        "Report",
        "a text cannot end the data and run",
        "reports/test_page.py",
        "test_hostile_names_and_texts_add_no_element",
    ),
    ("Outliers", "one warning for each matter", MORE, "test_a_warning_is_given_once"),
    (
        "Outliers",
        "id, text, given, suggested and score",
        "cli/test_inspect.py",
        "test_the_exchanged_label_comes_first_with_what_was_meant",
    ),
    (
        "Config",
        "numbers as people write them",
        "cli/test_config.py",
        "test_a_value_means_what_it_says",
    ),
    (
        "Config",
        "a repeated key names both lines",
        "cli/test_config.py",
        "test_a_repeated_key_names_both_lines",
    ),
    (
        "Config",
        "all unknown keys with the nearest",
        "cli/test_config.py",
        "test_all_unknown_keys_are_told_each_with_the_nearest",
    ),
    (
        "Config",
        "exit codes are documented",
        "cli/test_program.py",
        "test_every_failure_is_one_line_and_a_documented_code",
    ),
    (
        "Config",
        "printed settings are accepted",
        "cli/test_options.py",
        "test_printed_settings_are_accepted_and_print_the_same",
    ),
    (
        "Config",
        "dashes of word processors",
        "cli/test_options.py",
        "test_a_mistyped_option_ends_with_what_was_meant",
    ),
    ("Config", "no traceback but with --debug", "cli/test_program.py", "test_debug_shows_where"),
    (
        "Stdin",
        "only where a dash is given",
        "cli/test_predict.py",
        "test_stdin_is_read_only_where_a_dash_says_so",
    ),
    (
        "Stdin",
        "told at a terminal",
        "cli/test_predict.py",
        "test_at_a_terminal_reading_stdin_is_announced",
    ),
    (
        "Stdin",
        "nothing said into mails",
        "cli/test_predict.py",
        "test_without_a_terminal_nothing_is_said_of_a_plain_success",
    ),
    (
        "Progress",
        "FORCE_COLOR is no terminal",
        "cli/test_progress.py",
        "test_the_line_is_live_only_at_a_terminal",
    ),
    ("Progress", "auto, on and off", "cli/test_progress.py", "test_off_writes_nothing"),
    (
        "Color",
        "plain help, colors where wanted",
        "cli/test_progress.py",
        "test_colors_are_for_terminals_that_want_them",
    ),
    (
        "Windows",
        "UTF-8 whatever the locale",
        "cli/test_program.py",
        "test_output_is_utf8_whatever_the_locale",
    ),
]


@cache
def functions_in(name):
    tree = ast.parse((HERE / name).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(
    ("area", "behavior", "file", "test"), ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS]
)
def test_each_known_failure_is_held_by_a_test(area, behavior, file, test):
    assert test in functions_in(file)
