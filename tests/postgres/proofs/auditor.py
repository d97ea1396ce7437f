"""What a proof checks at its end: the logs of the workers against the tables.

Every commit that was acknowledged is there, with its digest; so is every event whose post was. After a lost
answer, the next look at the instance said what became of the commit, and that is still so. The revisions of
each instance follow each other without a gap, and so do their digests. No attempt of an invocation was started
twice or without its claim, and further attempts only where the machine allows them: `once` never, `found`
only if no trace of the first is there. Every effect was delivered, and none without its commit. Every
instance has ended, with the four events that it needs. `wfsm audit` finds nothing.
"""
import collections
import hashlib
import json
import subprocess

from servers import check

EVENTS = 4


def digest(text):
    return hashlib.blake2b(text.encode(), digest_size=32).hexdigest()


class Journal:
    """The tables, read without the library."""

    def __init__(self, server, namespace="default"):
        where = f"WHERE namespace = '{namespace}' ORDER BY instance"
        self.heads = {instance: (int(revision), token, int(status), owner) for instance, revision, token, status, owner
                      in server.ask(f"SELECT instance, revision, token, status, owner FROM wfsm.head {where}",
                                    patience=120)}
        self.posts = server.number("SELECT count(*) FROM wfsm.post")
        self.records = collections.defaultdict(dict)
        self.tokens, self.events = {}, collections.Counter()
        for instance, revision, event, text in server.ask(
                f"SELECT instance, revision, event, text FROM wfsm.record {where}, revision", patience=300):
            self.records[instance][int(revision)] = json.loads(text)
            self.tokens[instance, int(revision)] = digest(text)
            if event:
                self.events[instance, event] += 1

    def claims(self):
        """The owners of each attempt that was claimed. A record leaves out an owner that is as before."""
        found, last = {}, {}
        for instance, records in self.records.items():
            for record in records.values():
                for one in record.get("invocations", []):
                    if one.get("status") == "running":
                        ident = f"{instance}/{one['revision']}/{one['ordinal']}-{one['incarnation']}"
                        last[ident] = one.get("owner", last.get(ident))
                        found.setdefault((ident, one["attempt"]), set()).add(last[ident])
        return found

    def effects(self):
        return {instance: [f"{instance}/{one['revision']}/{one['ordinal']}-{one['incarnation']}"
                           for record in records.values() for one in record.get("effects", [])]
                for instance, records in self.records.items()}


class Audit:
    def __init__(self, journal, fleet, ends=True, late=False, refused=()):
        """`late`: an engine was stopped, perhaps between a claim and its start. `refused`: other answers than a server
        in trouble gives."""
        self.journal, self.fleet, self.ends, self.late, self.refused = journal, fleet, ends, late, refused
        self.wrong, self.counts = [], collections.Counter()
        self.starts = collections.defaultdict(list)  # of an invocation: (attempt, agent, session)
        self.delivered = set()
        for worker in fleet.workers:
            self.read(worker)
        self.check_chains()
        self.check_starts()
        self.check_effects()
        self.counts["instances"] = sum(revision > 0 for revision, *_ in journal.heads.values())
        self.counts["records"] = len(journal.tokens)

    def say(self, sentence):
        self.wrong.append(sentence)

    # ---- logs ----

    def read(self, worker):
        self.doubts = collections.defaultdict(list)
        for line in worker.lines():
            word, _, rest = line.partition(" ")
            getattr(self, f"take_{word}", self.take_other)(worker, rest.split())
            self.counts[word] += 1

    def take_other(self, _worker, _words):
        pass

    def take_wrong(self, worker, words):
        if len(words) > 1 and words[1] in self.refused:
            self.counts["refused"] += 1
            return
        self.say(f"{worker.name}: {' '.join(words)}")

    def take_ok(self, worker, words):
        instance, revision, token = words
        if self.journal.tokens.get((instance, int(revision))) != token:
            self.say(f"{worker.name}: revision {revision} of {instance} was acknowledged and is not there")

    def take_unknown(self, _worker, words):
        instance, revision, token = words
        self.doubts[instance].append((int(revision), token))

    def take_look(self, worker, words):
        instance, revision, token = words[0], int(words[1]), words[2]
        stored = self.journal.tokens
        if revision > 0 and stored.get((instance, revision)) != token:
            self.say(f"{worker.name}: {instance} had another revision {revision} when it was read")
        for base, doubted in self.doubts.pop(instance, []):
            is_stored = stored.get((instance, base)) == doubted
            if revision < base and is_stored:
                self.say(f"{worker.name}: revision {base} of {instance} was stored after it was looked for")
            self.counts["resolved as stored" if is_stored else "resolved as not stored"] += 1

    def take_posted(self, worker, words):
        instance, event = words
        if self.journal.events[instance, event] != 1:
            self.say(f"{worker.name}: {event} of {instance} was acknowledged, and is not there")

    def take_start(self, _worker, words):
        ident, attempt, agent, session = words
        self.starts[ident].append((int(attempt), agent, session))

    def take_effect(self, _worker, words):
        self.delivered.add(words[0])

    def take_moved(self, _worker, words):
        self.counts["instances moved to other engines"] += int(words[0])

    def take_took(self, _worker, words):
        count, children, owner = int(words[0]), int(words[1]), words[2]
        self.counts["instances taken that nobody had" if owner == "-" else "taken from engines that were gone"] += count
        self.counts["of these, children"] += children

    def take_trouble(self, _worker, words):
        self.counts[f"trouble {words[1]}"] += 1

    # ---- tables ----

    def check_chains(self):
        journal = self.journal
        for instance, (revision, token, status, _owner) in journal.heads.items():
            records = journal.records[instance]
            if sorted(records) != list(range(1, revision + 1)):
                self.say(f"{instance} has {revision} revisions, and the records {sorted(records)}")
                continue
            tokens = [""] + [journal.tokens[instance, one] for one in range(1, revision + 1)]
            if tokens[-1] != token or any(records[one]["prev"] != tokens[one - 1] for one in records):
                self.say(f"{instance}: the chain of its digests is broken")
            if self.ends and revision > 0:
                self.check_end(instance, status)
        if self.ends and journal.posts:
            self.say(f"{journal.posts} posts were not taken")

    def check_end(self, instance, status):
        events = [self.journal.events[instance, f"e{number}"] for number in range(1, EVENTS + 1)]
        events = events if "/" not in instance else [1] * EVENTS  # children get none
        if status != 2 or events != [1] * EVENTS:
            self.say(f"{instance}: status {status}, and its events are there {events} times")

    def check_starts(self):
        claims = self.journal.claims()
        for ident, starts in self.starts.items():
            attempts = [attempt for attempt, _agent, _session in starts]
            agent = starts[0][1]
            if len(set(attempts)) != len(attempts):
                self.say(f"an attempt of {ident} was started twice: {starts}")
            for attempt, _agent, session in starts:
                if session not in claims.get((ident, attempt), ()):
                    self.say(f"{ident} was started by {session} without its claim of attempt {attempt}")
            self.counts["started again"] += len(attempts) - 1
            if len(attempts) > 1 and agent == "found" and self.late and len({session for *_, session in starts}) > 1:
                self.counts["started late"] += 1
            elif len(attempts) > 1 and agent in ("once", "found"):
                self.say(f"{ident} of the agent {agent} was started again: {starts}")

    def check_effects(self):
        made = self.journal.effects()
        known = {one for effects in made.values() for one in effects}
        for one in sorted(self.delivered - known):
            self.say(f"the effect {one} was delivered without its commit")
        if self.ends:
            for one in sorted(known - self.delivered):
                self.say(f"the effect {one} was not delivered")


def audit(server, fleet, wfsm, **options):
    """What is wrong, and the counts."""
    found = Audit(Journal(server), fleet, **options)
    done = subprocess.run([*server.prefix, wfsm, "audit", server.address()], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        found.say(f"wfsm audit: {done.stdout[-600:]}{done.stderr[-600:]}")
    check(found.counts["ok"] > 0, "no commit was acknowledged")
    return found.wrong, found.counts


SHOWN = ("instances", "records", "ok", "posted", "unknown", "resolved as stored", "resolved as not stored", "start",
         "started again", "probe", "effect", "lost", "instances moved to other engines",
         "instances taken that nobody had", "taken from engines that were gone", "of these, children", "refused", "started late")
WORDS = {"ok": "acknowledged commits", "posted": "acknowledged posts", "unknown": "lost answers", "start": "attempts started",
         "probe": "probes", "effect": "deliveries of effects", "lost": "instances lost by an engine"}


def report(wrong, counts):
    """The last line of a proof."""
    print(*wrong[:20], sep="\n", end="\n" if wrong else "")
    print(", ".join(f"{counts[key]} {WORDS.get(key, key)}" for key in SHOWN if counts[key]) +
          f"; violations: {len(wrong)}", flush=True)
