"""Votes that Python signs and checks: wfsm.sign."""
import os
import tempfile
import unittest
from pathlib import Path

from support import Case, wfsm
from wfsm import sign

ASK = {
    "id": "release", "initial": "ask", "states": {
        "ask": {"invoke": {"src": "person", "input": {
            "what": "Ship it?", "people": ["ada", "bob"], "quorum": 2}, "onDone": "decided"}},
        "decided": {}}}


def has_sodium():
    try:
        sign.public_key("/nowhere")
    except wfsm.InvalidArgument:
        return False
    except wfsm.StoreError:
        return True


class Unsigned(Case):
    """Also without libsodium."""

    def test_what_is_no_signature(self):
        store = self.memory()
        for signed, raised in (((-1, "0" * 64, "0" * 128), ValueError), ((1, "0" * 64, None), ValueError),
                               ((1, "0" * 63, "0" * 128), ValueError), ((1, 2, 3), TypeError),
                               ((1, "0" * 64), ValueError)):
            with self.subTest(signed=signed), self.assertRaises(raised):
                store.approve("r", "r/1/1", by="ada", digest="0" * 64, signed=signed)

    def test_without_libsodium_the_calls_say_so(self):
        if has_sodium():
            self.skipTest("this build has libsodium")
        for call in (lambda: sign.make_key("x"), lambda: sign.public_key("x"),
                     lambda: sign.sign_vote("x", "r", "r/1/1", by="a", digest="0" * 64),
                     lambda: sign.verify_vote("r", "r/1/1", by="a", digest="0" * 64,
                                              signed=wfsm.Signed(1, "0" * 64, "0" * 128))):
            with self.assertRaisesRegex(wfsm.InvalidArgument, "libsodium"):
                call()
        self.assertFalse(Path("x").exists())


@unittest.skipUnless(has_sodium(), "this build has no libsodium")
class Signed(Case):
    def setUp(self):
        super().setUp()
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-sign-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.public = sign.make_key(self.path / "ada.key")
        self.store = self.memory()
        self.task = wfsm.Instance.start(wfsm.Machine.load(ASK), self.store, "r", {}, now=1)
        self.asked = self.task.invocations[0]
        self.vote = {"by": "ada", "digest": self.asked["digest"], "reason": "läuft"}

    def sign(self, **more):
        return sign.sign_vote(self.path / "ada.key", "r", self.asked["id"], **{**self.vote, **more})

    def test_keys(self):
        self.assertRegex(self.public, "^[0-9a-f]{64}$")
        self.assertEqual(sign.public_key(str(self.path / "ada.key")), self.public)
        self.assertEqual(os.stat(self.path / "ada.key").st_mode & 0o777, 0o600)
        with self.assertRaises(wfsm.AlreadyExists):
            sign.make_key(self.path / "ada.key")
        (self.path / "link").symlink_to(self.path / "elsewhere")
        with self.assertRaises(wfsm.AlreadyExists):
            sign.make_key(self.path / "link")
        os.chmod(self.path / "ada.key", 0o640)
        with self.assertRaises(wfsm.Denied):
            self.sign()
        with self.assertRaises(ValueError):
            sign.make_key("a\0b")

    def test_a_vote_keeps_its_signature(self):
        signed = self.sign(at=7)
        self.assertEqual((signed.at, signed.key), (7, self.public))
        self.task.approve(self.asked["id"], **self.vote, signed=signed, now=8)
        kept = self.store.records("r")[-1].data["input"]["data"]
        self.assertEqual(wfsm.Signed(**kept["signed"]), signed)
        sign.verify_vote("r", self.asked["id"], **self.vote, signed=wfsm.Signed(**kept["signed"]))

    def test_a_posted_vote_keeps_it_too(self):
        signed = self.sign()
        self.store.approve("r", self.asked["id"], **self.vote, signed=signed)
        [post] = self.store.inbox("r")
        self.assertEqual(wfsm.Signed(**post.data["signed"]), signed)

    def test_any_other_vote_is_denied(self):
        signed = self.sign(at=7)
        right = {"instance": "r", "invocation": self.asked["id"], **self.vote, "approve": True, "signed": signed}
        sign.verify_vote(**right)
        for change in ({"instance": "s"}, {"invocation": "r/1/2"}, {"by": "bob"}, {"digest": "0" * 64},
                       {"reason": None}, {"approve": False}, {"signed": signed._replace(at=8)},
                       {"signed": signed._replace(key="0" * 64)},
                       {"signed": signed._replace(signature="0" * 128)}):
            with self.subTest(change=change), self.assertRaises(wfsm.Denied):
                sign.verify_vote(**{**right, **change})


if __name__ == "__main__":
    unittest.main()
