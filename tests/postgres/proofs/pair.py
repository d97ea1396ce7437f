"""A primary and its synchronous standby, which change places."""
import contextlib
import signal

from servers import Server, Wrong, address, check, children, kill, title, until


class Pair:
    def __init__(self, stack, folder, places=("", ""), prefixes=((), ()), more=""):
        self.both = [Server(stack, folder, name, port, place, prefix, more)
                     for name, port, place, prefix in zip(("one", "two"), (5432, 5433), places, prefixes, strict=True)]
        self.primary, self.standby = self.both
        self.primary.make()
        self.primary.start()

    def begin(self):
        """The setting is part of the copy, so that the standby wants a standby, too, when it is promoted."""
        self.primary.want_standby()
        self.rebuild()
        self.primary.await_standby()

    def rebuild(self):
        """The standby as a new copy of the primary."""
        self.standby.copy_of(self.primary)
        self.standby.start()

    def rewind(self):
        """The old primary, which was killed, as a standby of the new one. False: it cannot be."""
        old, new = self.standby, self.primary
        new.ask("CHECKPOINT")  # pg_rewind looks for the new timeline there
        old.configure()
        try:
            old.run("postgres", "--single", "-D", old.data, "template1")  # it recovers, and ends in order
            old.run("pg_rewind", "-D", old.data, f"--source-server={new.plain_address()}", "-R")
        except Wrong:
            return False
        old.configure()
        old.follow(new)
        old.start()
        return True

    def exchange(self):
        """The standby becomes the primary. What becomes of the old one is the caller's matter."""
        self.primary, self.standby = self.standby, self.primary
        self.primary.promote()

    def address(self):
        return address(self.both)

    def receiver(self):
        """The process of the standby that gets what the primary writes."""
        main = self.standby.pid()
        return next((pid for pid in (children(main) if main else []) if "walreceiver" in title(pid)), None)

    @contextlib.contextmanager
    def silent_standby(self):
        """It answers nothing, so that commits wait for it."""
        until(self.receiver, "the standby is there")
        pid = self.receiver()
        check(kill(pid, signal.SIGSTOP), "the standby has gone")
        try:
            yield
        finally:
            kill(pid, signal.SIGCONT)

    WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

    def waiting(self):
        return self.primary.number(f"SELECT count(*) {self.WAITING}")

    def cancel_waits(self):
        """Commits that wait for the standby are told not to: they are on the primary only."""
        return self.primary.number(f"SELECT count(pg_cancel_backend(pid)) {self.WAITING}")
