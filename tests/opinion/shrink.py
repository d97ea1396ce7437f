"""A smaller document, and a shorter script, that still show the same contradiction."""
import copy

import task as tasks

ATTEMPTS = 600


class Shrink:
    def __init__(self, players, task, contradiction):
        self.players, self.task, self.contradiction = players, task, contradiction
        self.left = ATTEMPTS

    def still(self, document, script):
        """The same contradiction, or None."""
        self.left -= 1
        try:
            made = tasks.task(self.task["seed"], document, self.task["shapes"], self.task["runs"],
                              script, self.task["punctual"])
        except (KeyError, StopIteration, TypeError, ValueError): # half of a property
            return None
        wanted = (self.contradiction["what"], self.contradiction["name"])
        for each in self.players.ask(made)["contradictions"]:
            if (each["what"], each["name"]) == wanted:
                return each
        return None

    def shorter(self, document, script):
        place = len(script) - 1
        while place > 0 and self.left > 0:
            tried = script[:place] + script[place + 1:]
            if self.still(document, tried):
                script = tried
            place -= 1
        return script

    def smaller(self, document, script):
        """Takes away what can go, the large parts first."""
        again = True
        while again and self.left > 0:
            again = False
            for path in sorted(paths(document), key=len):
                tried = without(document, path)
                if self.left > 0 and tried and self.still(tried, script):
                    document, again = tried, True
                    break
        return document

    def run(self):
        document, script = self.task["document"], self.contradiction.get("script")
        if script and self.still(document, script):
            script = self.shorter(document, script)
        elif script:
            script = None # a trace of verify
        document = self.smaller(document, script)
        return document, self.still(document, script) or self.contradiction


def paths(place, path=()):
    for key, each in place.items() if isinstance(place, dict) else enumerate(place):
        if path or key not in ("id", "initial", "states"):
            yield (*path, key)
        if isinstance(each, (dict, list)):
            yield from paths(each, (*path, key))


def without(document, path):
    document = copy.deepcopy(document)
    place = document
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return document
