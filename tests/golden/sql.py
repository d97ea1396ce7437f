"""A store as SQL text, and back: its contents, independent of SQLite's pages."""
import sqlite3

PRAGMAS = ("application_id", "user_version")


def _rows(connection, table):
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    quoted = " || ',' || ".join(f"quote({name})" for name in columns)
    order = ", ".join(columns)
    names = ", ".join(columns)
    for (values,) in connection.execute(f"SELECT {quoted} FROM {table} ORDER BY {order}"):
        yield f"INSERT INTO {table} ({names}) VALUES ({values});"


def dump(path):
    connection = sqlite3.connect(path)
    try:
        lines = [f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};"
                 for name in PRAGMAS]
        schema = connection.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        for kind, name, text in schema.fetchall():
            if name != "sqlite_sequence":
                lines.append(text + ";")
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchall()
        for (name,) in tables:
            if name == "sqlite_sequence":
                lines.append("DELETE FROM sqlite_sequence;")
            lines += _rows(connection, name)
        return "\n".join(lines) + "\n"
    finally:
        connection.close()


def load(text, path):
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        pragmas = [line for line in text.splitlines() if line.startswith("PRAGMA ")]
        for line in pragmas:
            connection.execute(line)
        connection.executescript("BEGIN;\n" + text[len("\n".join(pragmas)):] + "\nCOMMIT;")
    finally:
        connection.close()
