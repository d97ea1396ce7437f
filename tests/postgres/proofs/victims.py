"""A server with a pool before it, both of which are killed at random, for the proofs."""
import collections
import random

from fleet import server_with_tables
from program import counted
from servers import Pool, kill


class Victims:
    """A class made from this one has a method kill_TARGET for each other target."""

    def __init__(self, stack, wfsm, seed, targets):
        self.random, self.targets, self.kills = random.Random(seed), targets, collections.Counter()
        self.server = server_with_tables(stack, wfsm)
        self.pool = Pool(stack, self.server)
        self.pool.start()

    def place(self, number):
        """Half of the clients go through the pool."""
        return (self.pool if number % 2 else self.server).address()

    def kill_session(self):
        found = self.server.backends()
        return bool(found) and kill(self.random.choice(found))

    def kill_server(self):
        self.server.kill()
        self.server.start()

    def kill_pool(self):
        self.pool.kill()
        self.pool.start()

    def kill_one(self):
        target = self.random.choices(list(self.targets), self.targets.values())[0]
        if getattr(self, f"kill_{target}")() is not False:
            self.kills[target] += 1


def show_kills(kills):
    print(f"{counted(kills, 's')}: {sum(kills.values())} kills")
