"""The tables of a build; the only importer of SQLModel. Private to `build` and `library`, which reads by `kb.stored`.

Rows are only ever made from already valid objects: SQLModel does not validate on construction.
SQLite inside the build folder by default; any SQLAlchemy address by `KB_DATABASE_URL`, where every row carries
the key of its build and one pointer row says which build is served.
"""

from collections.abc import Iterable

from sqlalchemy import Engine, func
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Field, Session, SQLModel, create_engine, delete, select

from kb.errors import BuildError, NoBuild
from kb.stored import AGAIN, CaseText, CheckText, Stored, TermText

KEPT_BUILDS = 2


class CaseRow(SQLModel, table=True):
    __tablename__ = "cases"

    build: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    slug: str
    domain: str
    org: str
    date: str | None
    date_precision: str | None
    date_basis: str | None
    entered: str
    status: str
    public: bool
    served: bool
    document: str
    """The whole case as JSON (`kb.model.Incident`)."""


class CaseTermRow(SQLModel, table=True):
    __tablename__ = "case_terms"

    build: str = Field(primary_key=True)
    case_id: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    position: int = Field(primary_key=True)
    """0 is the main value of its kind."""
    slug: str = Field(index=True)


class TermRow(SQLModel, table=True):
    __tablename__ = "terms"

    build: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    slug: str = Field(primary_key=True)
    position: int
    document: str


class CheckRow(SQLModel, table=True):
    __tablename__ = "checks"

    build: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    status: str
    document: str
    """The answer about this check in both languages, as JSON (`{en: …, ko: …}`)."""


class CheckCaseRow(SQLModel, table=True):
    __tablename__ = "check_cases"

    build: str = Field(primary_key=True)
    check_id: str = Field(primary_key=True)
    replay: str = Field(primary_key=True)
    case_id: str = Field(index=True)
    link: str
    how_en: str
    how_ko: str | None


class BuildRow(SQLModel, table=True):
    __tablename__ = "builds"

    build: str = Field(primary_key=True)
    data_version: str
    made: int
    """A running number; the highest one is the newest."""
    serving: bool = False


#: Any row; other modules need not know what it is made of.
Row = SQLModel
ROWS: tuple[type[SQLModel], ...] = (CaseRow, CaseTermRow, TermRow, CheckRow, CheckCaseRow)


def engine_of(url: str) -> Engine:
    """Raises BuildError for an address that no driver here can open."""
    try:
        return create_engine(url)
    except (SQLAlchemyError, ImportError) as error:
        raise BuildError(
            f"The database address cannot be used: {type(error).__name__}.",
            field="KB_DATABASE_URL",
            next_step="Give an SQLAlchemy address and install its driver.",
        ) from error


def write(url: str, build: str, data_version: str, rows: Iterable[Row]) -> None:
    """Write one build in one transaction; rows of the same build that are there already are replaced."""
    engine = engine_of(url)
    try:
        SQLModel.metadata.create_all(engine)
        with Session(engine) as session:
            for table in ROWS:
                session.exec(delete(table).where(table.build == build))  # type: ignore[attr-defined]
            session.exec(delete(BuildRow).where(BuildRow.build == build))  # type: ignore[arg-type]
            newest = session.exec(select(func.max(BuildRow.made))).one() or 0
            session.add(BuildRow(build=build, data_version=data_version, made=newest + 1))
            session.add_all(list(rows))
            session.commit()
    except SQLAlchemyError as error:
        raise BuildError(f"The tables could not be written: {_short(error)}.", next_step="Build again.") from error
    finally:
        engine.dispose()


def point(url: str, build: str) -> None:
    """Serve this build from now on, and drop all but the newest two."""
    engine = engine_of(url)
    try:
        with Session(engine) as session:
            rows = session.exec(select(BuildRow).order_by(BuildRow.made.desc())).all()  # type: ignore[attr-defined]
            for row in rows:
                row.serving = row.build == build
                session.add(row)
            for row in [r for r in rows if not r.serving][KEPT_BUILDS - 1 :]:
                for table in ROWS:
                    session.exec(delete(table).where(table.build == row.build))  # type: ignore[attr-defined]
                session.delete(row)
            session.commit()
    finally:
        engine.dispose()


def serving(url: str) -> str | None:
    """The key of the build that the pointer row names."""
    engine = engine_of(url)
    try:
        with Session(engine) as session:
            return session.exec(select(BuildRow.build).where(BuildRow.serving == True)).first()  # noqa: E712 (SQL)
    except SQLAlchemyError:
        return None
    finally:
        engine.dispose()


def read(url: str, build: str) -> Stored:
    """Everything of one build that is read again.

    Raises:
        NoBuild: the tables are missing, damaged or do not hold this build.
    """
    engine = engine_of(url)
    try:
        with Session(engine) as session:
            if session.get(BuildRow, build) is None:
                raise NoBuild("The tables do not hold this build.", next_step=AGAIN)
            cases = session.exec(select(CaseRow).where(CaseRow.build == build).order_by(CaseRow.id)).all()
            terms = session.exec(
                select(TermRow).where(TermRow.build == build).order_by(TermRow.kind, TermRow.position)  # type: ignore[arg-type]
            ).all()
            checks = session.exec(select(CheckRow).where(CheckRow.build == build).order_by(CheckRow.id)).all()
            return Stored(
                [CaseText(row.id, row.status, row.public, row.served, row.document) for row in cases],
                [TermText(row.kind, row.document) for row in terms],
                [CheckText(row.id, row.status, row.document) for row in checks],
            )
    except SQLAlchemyError as error:
        raise NoBuild(f"The tables cannot be read: {_short(error)}.", next_step=AGAIN) from error
    finally:
        engine.dispose()


def _short(error: SQLAlchemyError) -> str:
    """The driver's own words, without the statement and its parameters."""
    return str(getattr(error, "orig", None) or type(error).__name__)
