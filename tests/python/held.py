"""A store that is held in a call, and tests that an event loop continues meanwhile."""
import asyncio
import faulthandler
import sys
import threading

from support import ROOT, Case

sys.path.insert(0, str(ROOT / "bindings" / "python" / "examples"))

from shelf import Shelf  # noqa: E402

from wfsm import hosted  # noqa: E402

FOREVER = 600  # seconds; no test waits so long unless it fails
HANGS = 300  # seconds; then the stacks of all threads are printed, and the test fails
CALLBACKS = 50  # of the loop, while the store is held
CALLS = ("commit", "head", "records", "snapshot", "checkpoints", "list", "document", "seen", "post", "inbox",
         "acknowledge", "owner_alive", "claim", "own", "disown", "remove", "changes", "transaction")


class Held(Shelf):
    """Knows in which threads it was called. A call that is to be held waits for the gate."""

    def __init__(self, path):
        super().__init__(path)
        self.threads, self.calls = set(), []
        self.held, self.inside, self.gate = None, threading.Event(), threading.Event()

    def arrives(self, name):
        self.threads.add(threading.get_ident())
        self.calls.append(name)
        if name == self.held and not self.inside.is_set():
            self.inside.set()
            assert self.gate.wait(FOREVER)


def watched(name):
    def call(self, *arguments, **named):
        self.arrives(name)
        return getattr(Shelf, name)(self, *arguments, **named)

    return call


for each in CALLS:
    setattr(Held, each, watched(each))


class Mark:
    """As asyncio.Event, which belongs in CPython 3.9 to the loop that was current when it was made."""

    def __init__(self):
        self._is_set = False

    def set(self):
        self._is_set = True

    async def wait(self):
        while not self._is_set:
            await asyncio.sleep(0)


async def let_run(count):
    for _ in range(count):
        await asyncio.sleep(0)


class LoopCase(Case):
    def setUp(self):
        super().setUp()
        faulthandler.dump_traceback_later(HANGS, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        self.shelf = Held(self.folder() / "shelf")
        self.store = hosted.store(self.shelf)
        self.addCleanup(self.store.close)
        self.addCleanup(self.shelf.gate.set)

    def run_off_the_loop(self, main):
        """No call of the store was made in the loop's thread, which is this one."""
        async def watched_main():
            self.shelf.threads.clear()
            await main()

        asyncio.run(asyncio.wait_for(watched_main(), FOREVER))
        self.assertTrue(self.shelf.threads)
        self.assertNotIn(threading.get_ident(), self.shelf.threads)

    async def held(self, name, begin, meanwhile=lambda: None):
        """Begins something, and holds the store in the first call of this name. The loop continues, and
        `meanwhile` is asked there."""
        self.shelf.inside.clear()
        self.shelf.gate.clear()
        self.shelf.held = name
        task = asyncio.ensure_future(begin())
        while not self.shelf.inside.is_set():  # for ever, if it is held in this thread
            self.assertFalse(task.done(), f"{name} was not called")
            await asyncio.sleep(0.001)
        await let_run(CALLBACKS)
        self.assertFalse(task.done())
        answer = meanwhile()
        self.shelf.held = None
        self.shelf.gate.set()
        return await task, answer
