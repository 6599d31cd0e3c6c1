"""Feed-forward width against hidden size, in the arguments that Megatron prints."""

import re

from kb.checks.contract import Knobs, LogSource, Outcome
from kb.checks.program_log import Line, ProgramLog
from kb.model import Text

#: `  ffn_hidden_size ................................. 20480`
ARGUMENT = re.compile(r"\b(ffn_hidden_size|hidden_size|num_experts) \.{2,} (\d+)\s*$")


def check(logs: LogSource, knobs: Knobs) -> Outcome:
    low, high = knobs.number("low"), knobs.number("high")
    log = ProgramLog(
        name=Text(en="Megatron's list of arguments", ko="Megatron 인자 목록"),
        remedy=Text(en="Give the log of rank 0 from the start on.", ko="랭크 0의 로그를 시작부터 주십시오."),
    )
    shapes: dict[str, dict[str, tuple[int, Line]]] = {}
    for line in log.read(logs):
        match = ARGUMENT.search(line.text)
        if match:
            shapes.setdefault(line.file, {})[match[1]] = int(match[2]), line
    for shape in shapes.values():
        if not {"ffn_hidden_size", "hidden_size"} <= shape.keys():
            continue
        (width, line), (hidden, _) = shape["ffn_hidden_size"], shape["hidden_size"]
        log.spoke(line)
        ratio = width / hidden
        if "num_experts" not in shape and not low <= ratio <= high:
            log.find(
                line, value=round(ratio, 2), threshold=f"{low:g} to {high:g}", width=str(width), hidden=str(hidden)
            )
    return log.outcome()
