"""How often a cron schedule comes, roughly: enough to tell that a run is missing."""

from kb.checks.objects import MissingFieldError

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
MACROS = {
    "@hourly": HOUR, "@daily": DAY, "@midnight": DAY, "@weekly": 7 * DAY, "@monthly": 31 * DAY, "@yearly": 366 * DAY,
    "@annually": 366 * DAY,
}  # fmt: skip
FIELDS = 5


def period(schedule: str) -> float:
    """The longest pause in seconds that a schedule makes, rather too long than too short: lists and ranges of hours
    count as one run a day, of days as one a month, of months as one a year. It is too short for days that not every
    month has (the 29th to the 31st) and for the 29th of February.

    Raises:
        MissingFieldError: not a schedule of five fields.
    """
    if (known := MACROS.get(_bare(schedule))) is not None:
        return known
    minute, hour, day, month, weekday = _fields(schedule)
    if not _every(month):
        return 366 * DAY
    if not _every(day):
        return 31 * DAY
    if not _every(weekday):
        return 3 * DAY if _often(weekday) else 7 * DAY
    if hour != "*":
        return _step(hour, HOUR) or DAY
    return _step(minute, MINUTE) or HOUR


def busiest(schedule: str) -> float:
    """About how many seconds lie between two runs within a day: a list of minutes as if it shared the hour evenly, a
    range of minutes, a list or a range of hours as one run an hour. Single runs may lie closer together, or further
    apart.

    Raises:
        MissingFieldError: not a schedule of five fields.
    """
    if (known := MACROS.get(_bare(schedule))) is not None:
        return known
    minute, hour = _fields(schedule)[:2]
    if minute == "*" or not minute.isdigit():
        return _step(minute, MINUTE) or HOUR / (minute.count(",") + 1)
    return _step(hour, HOUR) or (DAY if hour.isdigit() else HOUR)


def _bare(schedule: str) -> str:
    """Without its time zone."""
    return schedule.split(" ", 1)[-1].strip() if schedule.startswith(("TZ=", "CRON_TZ=")) else schedule.strip()


def _fields(schedule: str) -> list[str]:
    fields = _bare(schedule).split()
    if len(fields) != FIELDS:
        raise MissingFieldError("spec.schedule")
    return fields


def _every(field: str) -> bool:
    return field in ("*", "?", "*/1")


def _often(weekday: str) -> bool:
    """Whether a working week is meant, whose longest pause is the weekend."""
    return weekday.lower() in ("1-5", "mon-fri", "0-5", "1-6", "mon-sat", "0-4", "sun-thu")


def _step(field: str, unit: float) -> float:
    """`*` and `*/15` in seconds; nothing for a list or a range."""
    if field == "*":
        return unit
    return int(field[2:]) * unit if field.startswith("*/") and field[2:].isdigit() and int(field[2:]) else 0.0
