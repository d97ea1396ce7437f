"""Is there an order of these calls, in which each takes effect at one moment between its beginning and its end, that
explains all answers? The object is an instance: nothing, or a revision and a value.

A call whose outcome is unknown may take effect at any time after its beginning, or never. One that has failed has done
nothing. The search is that of Wing and Gong, and never visits the same set of calls with the same object twice.
"""
import dataclasses
import math


@dataclasses.dataclass
class Call:
    begin: float
    word: str  # start, set, read
    value: int = 0  # of set: what it sets
    outcome: str = "unknown"  # ok, exists, none, unknown
    end: float = math.inf
    result: tuple = (0, 0)  # revision and value
    name: str = ""

    def is_certain(self):
        return self.outcome != "unknown"


def after(call, state):
    """The object afterwards; False: the call cannot have this answer now. `state` is None or (revision, value)."""
    if call.outcome == "none":
        return None if state is None else False
    if call.outcome == "exists":
        return state if state is not None else False
    if call.word == "start":
        return (1, 0) if state is None else False
    if state is None:
        return False
    if call.word == "read":
        return state if call.result == state else False
    if call.is_certain() and call.result[0] != state[0] + 1:
        return False
    return (state[0] + 1, call.value)


def candidates(calls, done):
    """Those that may be next: none that is left has ended before they begin. Those that are certain come first."""
    bound, found = math.inf, []
    for place, call in enumerate(calls):
        if call.begin > bound:
            break
        if not done >> place & 1:
            found.append(place)
            bound = min(bound, call.end)
    found = [place for place in found if calls[place].begin <= bound]
    return sorted(found, key=lambda place: (not calls[place].is_certain(), calls[place].end))


def longest(calls, needed, seen):
    """How many of the certain calls can be explained at most; `needed` is the set of all of them."""
    best, stack = 0, [(0, None, iter(candidates(calls, 0)))]
    while stack:
        done, state, rest = stack[-1]
        if done & needed == needed:
            return needed.bit_count()
        place = next(rest, None)
        if place is None:
            stack.pop()
            continue
        new = after(calls[place], state)
        key = (done | 1 << place, new)
        if new is False or key in seen:
            continue
        seen.add(key)
        best = max(best, (key[0] & needed).bit_count())
        stack.append((*key, iter(candidates(calls, key[0]))))
    return best


def explain(calls):
    """None: there is such an order. Otherwise a sentence."""
    calls = sorted((call for call in calls if call.outcome != "fail" and
                    (call.is_certain() or call.word != "read")), key=lambda call: call.begin)
    needed = sum(1 << place for place, call in enumerate(calls) if call.is_certain())
    most = longest(calls, needed, set())
    if most == needed.bit_count():
        return None
    return f"no order explains more than {most} of {needed.bit_count()} calls"


def self_test():
    """Histories whose answer is known."""
    begin = Call(0, "start", outcome="ok", end=1)
    wrote = Call(2, "set", 5, "ok", 3, (2, 5))
    lost = Call(2, "set", 5)
    read = lambda begin, revision, value: Call(begin, "read", outcome="ok", end=begin + 1, result=(revision, value))
    good = [[begin, wrote, read(4, 2, 5)], [begin, lost, read(4, 1, 0), read(6, 2, 5)], [begin, lost, read(4, 1, 0)],
            [begin, dataclasses.replace(wrote, end=9), read(4, 1, 0), read(6, 2, 5)]]
    bad = [[begin, wrote, read(4, 1, 0)], [begin, lost, read(4, 2, 5), read(6, 1, 0)],
           [begin, dataclasses.replace(lost, outcome="fail"), read(4, 2, 5)],
           [begin, dataclasses.replace(lost, begin=5), read(3, 2, 5)], [begin, wrote, dataclasses.replace(wrote)],
           [begin, dataclasses.replace(begin, begin=2, end=3)]]
    return all(explain(list(one)) is None for one in good) and all(explain(list(one)) for one in bad)
