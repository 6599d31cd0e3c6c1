"""The command line: `kb`. One more thin face; only these modules know Typer and Rich.

Exit status: 0 done or all clear, 1 something found, 2 the question cannot be used or the work failed (one line
on standard error), 3 nothing found but something unknown.
"""

import logging
import os
import sys

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError, UsageError

from kb import __version__
from kb.cli import asking, checking, corpus, editing, following, holes, keeping, measuring, planning, ruling, seeing
from kb.cli.refusing import refused
from kb.cli.sources import with_values
from kb.errors import KbError

app = typer.Typer(
    name="kb",
    help="Public post-incident reports about Kubernetes and AI infrastructure, and checks that would have caught them.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    _: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    verbose: bool = typer.Option(False, "--verbose", "-v", help="Log what is being done, on standard error."),
) -> None:
    logging.basicConfig(level=logging.INFO if verbose else logging.CRITICAL, format="%(message)s")


asking.register(app)
checking.register(app)
following.register(app)
holes.register(app)
keeping.register(app)
measuring.register(app)
ruling.register(app)
seeing.register(app)
corpus.register(app)
editing.register(app)
planning.register(app)


def main() -> None:
    """Entry point: every expected failure is one line on standard error and exit status 2."""
    try:
        status = app(with_values(sys.argv[1:]), standalone_mode=False)
    except KbError as error:
        _fail(str(error))
    except NoArgsIsHelpError as error:
        typer.echo(error.format_message())
        sys.exit(2)
    except UsageError as error:
        _fail(refused(error, sys.argv[1:]))
    except ClickException as error:
        _fail(error.format_message())
    except typer.Exit as error:
        sys.exit(error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        # The reader went away (`kb list | head`); nothing is wrong on this side.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception:
        logging.getLogger(__name__).exception("unexpected")
        _fail("internal error; run again with --verbose before the command to see where.")
    sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str) -> None:
    typer.echo(f"kb: {' '.join(message.split())}", err=True)
    sys.exit(2)
