"""A store written in Python: everything in dictionaries, written to a file as a whole.

Small and slow on purpose: it shows what a store has to do. Use SQLite for real work.
"""
import itertools
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict

import wfsm
from wfsm.hosted import Row, StoreBase

BEGIN, COMMIT, ROLLBACK = 1, 2, 3
EMPTY = {"instances": {}, "documents": {}, "owners": {}, "changes": {}, "inbox": [],
         "post_number": 0}


class Shelf(StoreBase):
    def __init__(self, path):
        self._path = Path(path)
        self._all: Dict[str, Any] = (json.loads(self._path.read_text(encoding="utf-8"))
                     if self._path.exists() else json.loads(json.dumps(EMPTY)))
        self._before: Any = None  # a transaction began here

    def _save(self, changed):
        """In a transaction, the file is written at its end."""
        if self._before is None:
            self._write_file(changed)
        self._all = changed

    def _write_file(self, changed):
        """All or nothing: a new file replaces the old one."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=self._path.parent,
                                         delete=False) as file:
            json.dump(changed, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, self._path)

    def transaction(self, step):
        before, self._before = self._before, (self._all if step == BEGIN else None)
        if step == ROLLBACK:
            self._all = before
        if step != COMMIT:
            return
        changed, self._all = self._all, before
        self._write_file(changed)
        self._all = changed

    def _copy(self):
        return json.loads(json.dumps(self._all))

    def _find(self, instance, everything=None):
        found = (everything or self._all)["instances"].get(instance)
        if found is None:
            raise wfsm.NotFound(wfsm.Status.NOT_FOUND, f"no instance {instance}")
        return found

    # Writing.

    def commit(self, commits):
        everything, answers = self._copy(), []
        for _, chain in itertools.groupby(commits, lambda commit: commit.instance):
            wanted, changed = list(chain), json.loads(json.dumps(everything))
            answer = self._write_chain(changed, wanted)
            if answer is wfsm.Status.OK:
                everything = changed
            answers += [answer] * len(wanted)
        self._save(everything)
        return answers

    def _write_chain(self, changed, chain):
        """Consecutive commits of one instance: all of them are written, or none."""
        for commit in chain:
            answer = self._check(changed, commit)
            if answer is not wfsm.Status.OK:
                return answer
            self._write(changed, commit)
        return wfsm.Status.OK

    def _check(self, everything, commit):
        known = everything["instances"].get(commit.instance)
        if known is None and commit.base > 0:
            return wfsm.Status.NOT_FOUND
        if known is not None and commit.base == 0:
            return wfsm.Status.EXISTS
        if known is not None and (known["head"]["revision"] != commit.base
                                  or known["head"]["owner"] != commit.owner
                                  or commit.previous not in (None, known["head"]["token"])):
            return wfsm.Status.CONFLICT
        if known is not None and commit.event_id is not None and any(
                record["id"] == commit.event_id for record in known["records"]):
            return wfsm.Status.EXISTS
        if commit.inbox and not any(post["number"] == commit.inbox
                                    and post["instance"] == commit.instance
                                    for post in everything["inbox"]):
            return wfsm.Status.NOT_FOUND
        if commit.checkpoint_deleted and (
                known is None or commit.checkpoint_deleted not in known["checkpoints"]):
            return wfsm.Status.NOT_FOUND
        if commit.document is None and commit.fingerprint not in everything["documents"]:
            return wfsm.Status.NOT_FOUND
        return wfsm.Status.OK

    @staticmethod
    def _write(everything, commit):
        known = everything["instances"].setdefault(commit.instance, {
            "head": {"acknowledged": 0, "created": commit.now, "snapshot_revision": 0,
                     "owner": commit.owner, "first": 1},
            "records": [], "snapshot": None, "checkpoints": {}})
        revision = commit.base + 1
        known["head"].update(
            instance=commit.instance, machine=commit.machine, fingerprint=commit.fingerprint,
            token=commit.token, tags=list(commit.tags), revision=revision,
            effects=commit.effects, status=int(commit.status), deadline=commit.deadline,
            updated=commit.now, attributes=commit.attributes)
        known["records"].append({"id": commit.event_id, "revision": revision,
                                 "now": commit.now, "text": commit.record})
        if commit.snapshot is not None:
            known["head"]["snapshot_revision"] = revision
            known["snapshot"] = {"revision": revision, "now": commit.now, "text": commit.snapshot}
        if commit.checkpoint is not None:
            known["checkpoints"].pop(commit.checkpoint, None)  # replaced: the newest
            known["checkpoints"][commit.checkpoint] = {
                "revision": revision, "now": commit.now, "text": commit.checkpoint_snapshot,
                "artifacts": commit.artifacts}
        if commit.checkpoint_deleted:
            del known["checkpoints"][commit.checkpoint_deleted]
        if commit.document is not None:
            everything["documents"].setdefault(commit.fingerprint, commit.document)
        everything["inbox"] = [post for post in everything["inbox"]
                               if post["number"] != commit.inbox]
        if commit.gives_up and not any(post["instance"] == commit.instance
                                       for post in everything["inbox"]):
            known["head"]["owner"] = ""
        if commit.by_hand:
            Shelf._tell(everything, commit.owner)

    def post(self, instance, id, name, data, now, *, kind, interface, sender):
        if id is not None and self.seen(instance, id):
            raise wfsm.AlreadyExists(wfsm.Status.EXISTS, f"{instance} has event {id} already")
        self._find(instance)
        changed = self._copy()
        changed["post_number"] += 1
        changed["inbox"].append({"number": changed["post_number"], "instance": instance,
                                 "id": id, "name": name, "now": now, "text": data,
                                 "kind": kind, "interface": interface, "sender": sender})
        self._save(changed)

    def acknowledge(self, instance, effect):
        changed = self._copy()
        head = self._find(instance, changed)["head"]
        if effect > head["effects"]:
            raise wfsm.NotFound(wfsm.Status.NOT_FOUND, f"{instance} has made no effect {effect}")
        head["acknowledged"] = max(head["acknowledged"], effect)
        self._save(changed)

    def owner_alive(self, owner, until):
        changed = self._copy()
        changed["owners"].pop(owner, None)
        if until:
            changed["owners"][owner] = until
        self._save(changed)

    def claim(self, session, mine, now, until):
        found = self._all["owners"].get(session, 0)
        if found > now and found != mine:
            raise wfsm.Denied(wfsm.Status.DENIED, f"{session} is alive until {found}")
        self.owner_alive(session, until)

    def own(self, instance, owner, now):
        changed = self._copy()
        head = self._find(instance, changed)["head"]
        other = head["owner"]
        until = self._all["owners"].get(other, 0)
        if other not in ("", owner) and until > now:
            raise wfsm.Denied(wfsm.Status.DENIED,
                              f"{instance} is owned by {other}, which is alive until {until}")
        if other != owner:
            self._tell(changed, other)
        head["owner"] = owner
        self._save(changed)

    def disown(self, instance, owner):
        changed = self._copy()
        head = self._find(instance, changed)["head"]
        if head["owner"] not in ("", owner):
            raise wfsm.Denied(wfsm.Status.DENIED, f"{instance} is {head['owner']}'s")
        head["owner"] = ""
        self._save(changed)

    @staticmethod
    def _tell(everything, owner):
        """Somebody else has done something to an instance of this owner."""
        everything["changes"][owner] = everything["changes"].get(owner, 0) + 1

    def changes(self, session, after):
        owners = {id: one["head"]["owner"] for id, one in self._all["instances"].items()}
        posts = [post for post in self._all["inbox"]
                 if owners[post["instance"]] == session
                 or (owners[post["instance"]] == "" and post["number"] > after)]
        return self._all["changes"].get(session, 0), [Row(**post) for post in posts]

    def remove(self, instance):
        changed = self._copy()
        removed = changed["instances"].pop(instance, None)
        if removed:
            self._tell(changed, removed["head"]["owner"])
        changed["inbox"] = [post for post in changed["inbox"] if post["instance"] != instance]
        self._save(changed)

    # Reading.

    def head(self, instance):
        head = self._find(instance)["head"]
        members: Dict[str, Any] = {**head, "tags": tuple(head["tags"])}
        return wfsm.Head(**members)

    def records(self, instance, first, last):
        return [Row(**record) for record in self._find(instance)["records"]
                if first <= record["revision"] <= last]

    def snapshot(self, instance, checkpoint):
        known = self._find(instance)
        found = known["snapshot"] if checkpoint is None else known["checkpoints"].get(checkpoint)
        if found is None:
            raise wfsm.NotFound(wfsm.Status.NOT_FOUND, f"no checkpoint {checkpoint}")
        return Row(found["text"], found["revision"], found["now"], id=checkpoint)

    def checkpoints(self, instance):
        return [Row(kept["artifacts"], kept["revision"], kept["now"], id=name)
                for name, kept in self._find(instance)["checkpoints"].items()]

    def list(self, query):
        found = [self.head(id) for id in sorted(self._all["instances"], key=str.encode)
                 if (query.after is None or id.encode() > query.after.encode())
                 and id.startswith(query.prefix or "")]
        found = [head for head in found
                 if query.machine in (None, head.machine) and query.owner in (None, head.owner)
                 and (query.tag is None or query.tag in head.tags)
                 and query.status in (0, head.status)
                 and (not query.due or (head.deadline is not None
                                        and head.deadline <= query.due))]
        return found[:query.limit or None]

    def document(self, fingerprint):
        if fingerprint not in self._all["documents"]:
            raise wfsm.NotFound(wfsm.Status.NOT_FOUND, "no such document")
        return self._all["documents"][fingerprint]

    def seen(self, instance, event_id):
        records = self._find(instance)["records"]
        return any(one["id"] == event_id for one in records) or any(
            post["id"] == event_id and post["instance"] == instance
            for post in self._all["inbox"])

    def inbox(self, instance, limit):
        if instance is not None:
            self._find(instance)
        return [Row(**post) for post in self._all["inbox"]
                if instance in (None, post["instance"])][:limit or None]


def open_shelf(path):
    return wfsm.hosted.store(Shelf(path))
