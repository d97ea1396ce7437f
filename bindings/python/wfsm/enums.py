"""The library's numbers with names. A test compares them with the headers."""
import enum


class _Word(enum.IntEnum):
    def __str__(self) -> str:
        return self.name.lower()

    def __format__(self, form: str) -> str:
        return format(str(self), form)


class Status(_Word):
    """What a call of the library returns."""

    OK = 0
    NO_MEMORY = 1
    INVALID = 2
    SYNTAX = 3
    SEMANTIC = 4
    NOT_FOUND = 5
    EXISTS = 6
    BUSY = 7
    CONFLICT = 8
    STORE_FAILED = 9
    STORE_UNKNOWN = 10
    SEALED = 11
    CORRUPT = 12
    VERSION = 13
    LIMIT = 14
    DENIED = 15
    IO = 16
    HOST = 17


class Decision(_Word):
    """What a person has decided."""

    APPROVE = 1
    REJECT = 2


class PostKind(_Word):
    """What a post asks of the owner of its instance. ``wfsm/store.h`` has the data of each."""

    POST_EVENT = 0
    POST_APPROVAL = 1
    POST_ANSWER = 2
    POST_STOP = 3
    POST_CANCEL = 4
    POST_RETRY = 5
    POST_RESTORE = 6
    POST_CHECKPOINT = 7
    POST_MIGRATE = 8


class Interface(_Word):
    """Through which interface an input came, as the host says."""

    INTERFACE_ENGINE = 1
    INTERFACE_POST = 2
    INTERFACE_COMMAND = 3
    INTERFACE_PAGE = 4
    INTERFACE_API = 5


class Outcome(_Word):
    """The outcome of an input. It is true if the input was taken: ``if task.send("approve"): …``.

    TAKEN, STARTED, RETRY, and ENDED are true, the last one not if the instance had ended before.
    What is QUEUED is false, because nobody knows yet.
    """

    TAKEN = 1
    NO_TRANSITION = 2
    BLOCKED = 3
    FAILED = 4
    ENDED = 5
    DUPLICATE = 6
    STALE = 7
    STARTED = 8
    RETRY = 9
    QUEUED = 10

    def __bool__(self) -> bool:
        return self is not ENDED_BEFORE and self.value in _TAKEN


_TAKEN = (Outcome.TAKEN.value, Outcome.ENDED.value, Outcome.STARTED.value, Outcome.RETRY.value)
#: What an instance answers that had ended before. It equals ENDED (compare with ==), and is false.
ENDED_BEFORE: Outcome = int.__new__(Outcome, Outcome.ENDED.value)
ENDED_BEFORE._name_, ENDED_BEFORE._value_ = "ENDED", Outcome.ENDED.value


class InstanceStatus(_Word):
    """Whether an instance runs, or has reached a final state of its root."""

    RUNNING = 1
    DONE = 2


class GraphFormat(_Word):
    MERMAID = 1
    DOT = 2
    PROMELA = 3


class Uses(_Word):
    USES_GUARDS = 1
    USES_ACTIONS = 2
    USES_AGENTS = 3


class Lost(_Word):
    """Why an engine has lost an instance."""

    LOST_TAKEN = 1
    LOST_REMOVED = 2
    LOST_SESSION = 3
    LOST_SET_BACK = 4


class PoolKind(_Word):
    """What a limit or a count of the pool is about."""

    POOL_ALL = 0
    POOL_AGENT = 1
    POOL_PHASE = 2
    POOL_GROUP = 3


class Verdict(_Word):
    """The verdict of a verification."""

    HOLDS = 1
    VIOLATED = 2
    UNDECIDED = 3


class Fairness(_Word):
    """Who is assumed to act in a run that continues for ever."""

    FAIRNESS_WEAK = 0
    FAIRNESS_STRONG = 1
    FAIRNESS_NONE = 2


class Watched(_Word):
    """The verdict on a property in one run."""

    WATCHED_GOOD = 0
    WATCHED_VIOLATED = 1
    WATCHED_FAILED = 2
    WATCHED_REACHED = 3
    WATCHED_PENDING = 4
    WATCHED_UNKNOWN = 5


class PostgresClock(_Word):
    POSTGRES_SERVER_CLOCK = 0
    POSTGRES_HOST_CLOCK = 1


class Sync(_Word):
    SQLITE_FULL = 0
    SQLITE_NORMAL = 1
