"""What is said of a command line that cannot be read, as the other faces say it: unknown options first, and in the same
breath the arguments that are missing."""

from collections.abc import Sequence

from typer._click.core import Context, Parameter
from typer._click.exceptions import MissingParameter, NoSuchOption, UsageError

from kb.argument_names import judge_names
from kb.errors import BadQuestion
from kb.nearest import nearest


def refused(error: UsageError, words: Sequence[str]) -> str:
    """One sentence or two. `words`: the command line after `kb`."""
    context = error.ctx
    if context is None:
        return error.format_message()
    if isinstance(error, NoSuchOption):
        return _judged(context, *_unread(context, _own(context, words), error))
    needed = _needed(context)
    if isinstance(error, MissingParameter) and error.param in needed:
        # One is given only where all before it are.
        return _judged(context, [], needed[needed.index(error.param) :])
    return error.format_message()


def _judged(context: Context, unknown: Sequence[str], missing: Sequence[Parameter]) -> str:
    options = [name for param in context.command.params for name in param.opts if name.startswith("--")]
    names = [_name(param) for param in missing]
    hint = " ".join(f"{_name(param)}: {getattr(param, 'help', None) or _name(param)}" for param in missing)
    if not missing:
        hint = _nameless(context, unknown)
    try:
        judge_names(unknown, options, missing=names, hint=hint, noun="option")
    except BadQuestion as said:
        step = "" if said.next_step else hint
        return f"{said} {step}".rstrip()
    return ""


def _nameless(context: Context, unknown: Sequence[str]) -> str:
    """Of an option that is an argument: how that is given."""
    arguments = [_name(param) for param in context.command.params if param.param_type_name == "argument"]
    meant = nearest(unknown[0].strip("-"), arguments, limit=1, floor=0.8)
    line = " ".join(("kb", *_path(context)))
    return f"`{meant[0]}` is given without a name: `{line} {meant[0].upper()}`." if meant else ""


def _path(context: Context) -> list[str]:
    """`new case` for `kb new case`, however `kb` was started."""
    return [] if context.parent is None else [*_path(context.parent), context.info_name or ""]


def _name(param: Parameter) -> str:
    return param.name or ""


def _needed(context: Context) -> list[Parameter]:
    return [param for param in context.command.params if param.param_type_name == "argument" and param.required]


def _own(context: Context, words: Sequence[str]) -> list[str]:
    """The words behind the command's own name."""
    rest = list(words)
    for name in _path(context):
        rest = rest[rest.index(name) + 1 :] if name in rest else rest
    return rest


def _unread(context: Context, words: list[str], error: NoSuchOption) -> tuple[list[str], list[Parameter]]:
    """Every option that the command does not have, and the arguments that it needs and did not get."""
    unknown: list[str] = []
    while error.option_name not in unknown:
        unknown.append(error.option_name)
        words = [word for word in words if word.partition("=")[0] != error.option_name]
        try:
            given, _, _ = context.command.make_parser(context).parse_args(words)
        except NoSuchOption as another:
            error = another
        except UsageError:
            break
        else:
            return unknown, [param for param in _needed(context) if not given.get(_name(param))]
    return unknown, []
