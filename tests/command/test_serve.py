"""wfsm serve from outside: the pages, the actions, and clients that are not welcome.

usage: test_serve.py WFSM
"""
import collections
import contextlib
import html
import http.client
import json
import os
import random
import re
import select
import socket
import subprocess
import sys
import unittest
from pathlib import Path
from urllib.parse import quote, urlencode

import test_command
from test_command import Folder, run

EVIL = "<script>alert(1)</script>\u202e\"'&"
SHIP = {"wfsm": 1, "id": "ship", "initial": "ask", "context": {"n": 1, "evil": EVIL},
        "attributes": {"n": {"var": "context.n"}}, "states": {
            "ask": {"tags": "asking", "on": {"HOLD": "held"}, "after": {"86400000": "dropped"}, "invoke": {
                "src": "person", "input": {"question": "Ship it? " + EVIL, "people": ["ada", "bob"]},
                "onDone": [{"guard": {"var": "event.data.approved"}, "target": "shipped"}, {"target": "dropped"}],
                "onError": "dropped"}},
            "held": {"on": {"GO": "ask"}}, "shipped": {"type": "final"}, "dropped": {"type": "final"}}}


def mutated(dice, seeds):
    data = bytearray(dice.choice(seeds))
    for _ in range(dice.randrange(1, 5)):
        at, kind = dice.randrange(len(data)), dice.randrange(5)
        if kind == 0:
            data[at] = dice.randrange(256)
        elif kind == 1:
            del data[at:at + dice.randrange(1, 20)]
        elif kind == 2:
            data[at:at] = bytes(dice.choices(b"\0\r\n:;%&=?/ \xff9A", k=dice.randrange(1, 30)))
        elif kind == 3:
            data[at:at] = data[at:at + dice.randrange(1, 200)]
        else:
            other = dice.choice(seeds)
            data[at:] = other[dice.randrange(len(other)):]
        data = data or bytearray(b"\n")
    return bytes(data)


class Serve(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "s.db"
        self.fine("store", "init", self.store)
        self.ship = self.file(SHIP, "ship.json")

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def start(self, *ids, **input):
        for one in ids:
            self.fine("start", "--input", json.dumps(input), self.store, self.ship, one)

    def inbox(self, id):
        return [one["event"] for one in json.loads(self.fine("show", "--json", self.store, id))["inbox"]]

    def serve(self, *more):
        self.process = subprocess.Popen([test_command.WFSM, "serve", "--as", "ada", *map(str, more), self.store],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, self.process)
        self.address = self.process.stdout.readline().strip()
        self.port, self.token = re.fullmatch(r"http://127.0.0.1:(\d+)/\?token=([0-9a-f]{64})", self.address).groups()
        self.host = f"127.0.0.1:{self.port}"
        self.cookie = self.get(f"/?token={self.token}", cookie=None).getheader("Set-Cookie").split(";")[0]

    def end(self, process):
        process.kill()
        process.wait(600)
        process.stdout.close()
        process.stderr.close()

    def get(self, path, method="GET", body=None, cookie=True, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=600)
        self.addCleanup(connection.close)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if cookie:
            headers.setdefault("Cookie", self.cookie if cookie is True else cookie)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        return answer

    def page(self, path, status=200):
        answer = self.get(path)
        self.assertEqual(answer.status, status, answer.text)
        self.assertNotIn("<script>alert", answer.text)
        self.assertNotIn("\u202e", answer.text)
        return answer.text

    def rows(self, **filters):
        return [html.unescape(one) for one in
                re.findall(r'<tr><td><a href="/instance[^>]*>([^<]*)<', self.page("/?" + urlencode(filters)))]

    def act(self, form=None, origin=True, status=303, **fields):
        form = form or re.search(r'name="form" value="(\w+)"', self.page(f"/instance?id={quote(fields['id'])}"))[1]
        answer = self.get("/act", "POST", urlencode({"form": form, **fields}),
                          Content_Type="application/x-www-form-urlencoded",
                          **({"Origin": f"http://{self.host}"} if origin is True else {"Origin": origin} if origin else {}))
        self.assertEqual(answer.status, status, answer.text)
        if status == 303:
            found = re.search(r'class="said" role="status">([^<]*)', self.page(answer.getheader("Location")))
            return html.unescape(found[1])
        return answer.text


class Pages(Serve):
    def test_the_list_and_its_filters(self):
        self.start("shop/a", "shop/b", n=5)
        self.start("c", n=2000)
        self.fine("send", self.store, "c", "HOLD")
        self.serve()
        for filters, ids in (({}, ["c", "shop/a", "shop/b"]), ({"machine": "ship"}, ["c", "shop/a", "shop/b"]), ({"machine": "x"}, []),
                             ({"tag": "asking"}, ["shop/a", "shop/b"]), ({"project": "shop"}, ["shop/a", "shop/b"]),
                             ({"where": "n>1000"}, ["c"]), ({"status": "done"}, []), ({"owner": "-"}, ["c", "shop/a", "shop/b"]),
                             ({"state": "held"}, ["c"]), ({"waits": "ada"}, ["shop/a", "shop/b"]), ({"waits": "eve"}, []),
                             ({"waits": "*"}, ["shop/a", "shop/b"]), ({"stuck": "60"}, []), ({"stuck": "0"}, ["c", "shop/a", "shop/b"])):
            self.assertEqual(self.rows(**filters), ids, filters)
        self.page("/?where=nonsense", 400)
        self.page("/?" + urlencode({"machine": EVIL}))

    def test_pages_are_short(self):
        self.fine("store", "copy", self.store, self.folder / "x.db")
        self.start(*[f"i{number:03}" for number in range(120)])
        self.serve()
        first = self.page("/")
        self.assertEqual(first.count("<tr><td>"), 50)
        seen, more = self.rows(), re.search(r'rel="next" href="([^"]*)"', first)
        while more:
            text = self.page(html.unescape(more[1]))
            seen += re.findall(r'<tr><td><a href="/instance[^>]*>([^<]*)<', text)
            more = re.search(r'rel="next" href="([^"]*)"', text)
        self.assertEqual(seen, [f"i{number:03}" for number in range(120)])

    def test_one_instance(self):
        self.start("a", n=5)
        self.fine("checkpoint", self.store, "a", "first")
        self.serve()
        text = self.page("/instance?id=a")
        for part in ("Waiting for a decision", "0 of 1 approve", "<svg", "<h2>Steps</h2>", "<h2>Checkpoints</h2>", "first", "<h2>Timers</h2>",
                     "<h2>Context</h2>", "&lt;script&gt;alert(1)"):
            self.assertIn(part, text)
        self.assertIn("there is no such instance", self.page("/instance?id=none", 404))
        self.page("/instance?id=" + quote(EVIL), 404)
        self.fine("send", self.store, "a", "HOLD")
        self.assertIn("held", self.page("/diff?id=a&from=1&to=3"))
        self.assertIn('class="bad"', self.page("/diff?id=a&from=9&to=10"))
        self.page("/none", 404)

    def test_a_machine(self):
        self.start("a", "b", "c")
        self.fine("send", self.store, "c", "HOLD")
        self.serve()
        text = self.page("/machine?name=ship")
        self.assertRegex(text, r'state=ask">ask</a></td><td class="n">2<')
        self.assertRegex(text, r'state=held">held</a></td><td class="n">1<')
        self.assertIn("3 instances, 0 of them done", text)
        self.page("/machine?name=none", 404)
        self.page("/machine?name=%FF", 400)
        self.page("/machine?name=" + "x" * 300, 400)
        self.page("/machine", 400)

    def test_what_has_changed(self):
        self.start("a")
        self.serve()
        events = self.get("/events/instance?id=a")
        self.assertEqual((events.status, events.getheader("Content-Type")), (200, "text/event-stream"))
        self.assertRegex(events.text, r"^retry: \d{4,5}\ndata: [0-9a-f]{16}\n\n$")
        sums = [self.sum("/instance?id=a")]
        for command in (["post", self.store, "a", "HOLD"], ["send", self.store, "a", "HOLD"], ["checkpoint", self.store, "a", "here"]):
            self.assertEqual(self.sum("/instance?id=a"), sums[-1])
            self.fine(*command)
            sums.append(self.sum("/instance?id=a"))
        self.assertEqual(len(set(sums)), 4)

    def sum(self, page):
        """That of the events is that of the page, so that nothing is missed between the two."""
        told = re.search(r"\ndata: (\w+)\n", self.get("/events" + page).text)[1]
        self.assertIn(f'data-sum="{told}"', self.page(page))
        return told

    def test_a_page_is_told_what_it_would_show(self):
        other = {"wfsm": 1, "id": "other", "initial": "x", "states": {"x": {"on": {"GO": "y"}}, "y": {}}}
        self.fine("start", self.store, self.file(other, "other.json"), "first")
        self.start("z")
        self.serve()
        pages = ["/", "/?machine=ship", "/?state=ask", "/?waits=ada", "/machine?name=ship", "/machine?name=other", "/?state=y"]
        before = [self.sum(page) for page in pages]
        self.fine("send", self.store, "first", "GO")
        after = [self.sum(page) for page in pages]
        self.assertEqual([a != b for a, b in zip(after, before)], [True, False, False, False, False, True, True])
        self.fine("send", self.store, "z", "HOLD")
        self.assertEqual([self.sum(page) != one for page, one in zip(pages, after)], [True, True, True, True, True, False, False])

    def test_states_are_those_of_the_instances(self):
        """However they came to them, and also if nobody has asked before."""
        self.start("a", "b", "d", "g")
        for id, event in (("a", "HOLD"), ("a", "none"), ("b", "HOLD"), ("b", "GO"), ("g", "HOLD")):
            run("send", self.store, id, event)
        self.fine("fork", self.store, "a", "e")
        self.fine("fork", "--at", "1", self.store, "a", "f")
        self.fine("restore", "--at", "1", self.store, "g")
        self.fine("post", self.store, "d", "HOLD")
        agents = self.file('[agents.nobody]\ncommand = ["true"]\n', "agents.toml")
        self.fine("stop", self.store, "f")
        worker = subprocess.Popen([test_command.WFSM, "work", "--agents", agents, "--machines", self.ship, "--runs", self.folder / "runs",
                                   self.store], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        self.fine("wait", self.store, "f")
        self.fine("wait", "--state", "held", self.store, "d")
        worker.terminate()
        worker.wait(600)
        self.serve()
        shown = {row[0]: row[1:] for row in re.findall(
            r'<tr><td><a href="/instance[^>]*>(\w+)</a></td><td>.*?</td><td>([^<]*)</td><td>(\w+)</td>', self.page("/"))}
        known = {one["id"]: (" ".join(one["configuration"]), one["status"]) for one in json.loads(self.fine("list", "--json", self.store))}
        self.assertEqual(shown, known)
        self.assertEqual({status for _, status in known.values()}, {"running", "stopped"})
        asking = [one["id"] for one in json.loads(self.fine("list", "--json", self.store)) if one["configuration"] == ["ask"]]
        self.assertEqual(self.rows(waits="ada", status="running"), [id for id in asking if known[id][1] == "running"])

    def test_filters_together(self):
        for id, n in (("a", 1), ("b", 2), ("c", 3)):
            self.start(id, n=n)
        self.fine("send", self.store, "c", "HOLD")
        self.serve()
        path = "/?" + urlencode([("where", "n>1"), ("where", "n<4"), ("state", "ask"), ("machine", "ship"), ("waits", "bob"), ("where", "")])
        text = self.page(path)
        self.assertEqual(re.findall(r'href="/instance[^>]*>([^<]*)<', text), ["b"])
        self.assertEqual(re.findall(r'name="where" placeholder="[^"]*" value="([^"]*)"', text), ["n&gt;1", "n&lt;4", ""])
        for wrong in ("stuck=x", "stuck=-1", "status=odd", "where=n"):
            self.page("/?" + wrong, 400)

    def test_a_family(self):
        def document(name, invoke):
            return {"wfsm": 1, "id": name, "initial": "run", "states": {"run": invoke, "end": {"type": "final"}}}
        for name, below in (("top", "mid"), ("mid", "low")):
            self.file(document(name, {"invoke": {"src": "machine:" + below, "onDone": "end"}}), f"family-{name}.json")
        self.file(document("low", {"on": {"GO": "end"}}), "family-low.json")
        agents = self.file('[agents.nobody]\ncommand = ["true"]\n', "agents.toml")
        self.fine("start", self.store, self.folder / "family-top.json", "t")
        machines = [part for name in ("top", "mid", "low") for part in ("--machines", self.folder / f"family-{name}.json")]
        worker = subprocess.Popen([test_command.WFSM, "work", "--agents", agents, "--runs", self.folder / "runs", *machines, self.store],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(worker.stdout.close)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        children = self.started(worker, 2)
        worker.terminate()
        worker.wait(600)
        self.serve()
        for id, parent, child in (("t", None, children[0]), (children[0], "t", children[1]), (children[1], children[0], None)):
            text = self.page("/instance?id=" + quote(id))
            self.assertEqual(re.findall(r"<h2>Parent</h2>\n<p><a [^>]*>([^<]*)<", text), [parent] if parent else [])
            self.assertEqual(re.findall(r"<li><a [^>]*>([^<]*)</a> running, \w+ at run</li>", text), [child] if child else [])

    def started(self, worker, count):
        found = []
        for line in worker.stdout:
            found += re.findall(r"\] (t/\w+)  run  start", line)
            if len(found) == count:
                break
        return found

    def test_a_page_does_not_grow_with_the_journal(self):
        self.start("a")
        for _ in range(104):
            self.fine("send", self.store, "a", "HOLD")
            self.fine("send", self.store, "a", "GO")
        self.serve()
        text = self.page("/instance?id=a")
        self.assertEqual(len(re.findall(r'<tr id="r\d+"', text)), 100)
        self.assertEqual(len(re.findall("<strong>person</strong>", text)), 100)
        self.assertIn("The first 5 are left out.", text)

    def test_all_steps_can_be_read(self):
        self.start("a")
        for _ in range(53):
            self.fine("send", self.store, "a", "HOLD")
            self.fine("send", self.store, "a", "GO")
        self.serve()
        page, seen = "/instance?id=a", []
        while page:
            text = self.page(page)
            seen = re.findall(r'<tr id="r(\d+)"', text) + seen
            earlier = re.search(r'<a href="([^"#]*)#r\d+">Earlier steps', text)
            page = earlier and html.unescape(earlier[1])
        self.assertEqual(seen, [str(number) for number in range(1, 108)])

    def test_nobody_approves_what_was_cut(self):
        document = json.loads(json.dumps(SHIP))
        document["states"]["ask"]["invoke"]["input"]["question"] = "x" * 9000 + " and burn it"
        self.fine("start", self.store, self.file(document, "long.json"), "a")
        self.serve()
        self.assertIn("x and burn it", re.search(r'class="asked".*?</section>', self.page("/instance?id=a"), re.S)[0])

    def test_metrics(self):
        self.start("a", "b")
        self.fine("post", self.store, "a", "HOLD")
        self.serve()
        for answer in (self.get("/metrics"), self.get("/metrics", cookie=None, Authorization=f"Bearer {self.token}")):
            self.assertTrue(answer.getheader("Content-Type").startswith("text/plain; version=0.0.4"))
            self.assertIn('wfsm_instances{machine="ship",status="running"} 2\n', answer.text)
            self.assertIn("\nwfsm_inbox_posts 1\n", answer.text)
            self.assertRegex(answer.text, r"\nwfsm_inbox_oldest_seconds \d+\.\d{3}\n")
        self.assertEqual(self.get("/metrics", cookie=None).status, 403)
        self.assertEqual(self.get("/", cookie=None, Authorization=f"Bearer {self.token}").status, 403)


class Actions(Serve):
    def test_every_action(self):
        self.start("a")
        self.fine("checkpoint", self.store, "a", "first")
        self.serve()
        self.assertEqual(self.act(id="a", action="post", event="HOLD", data='{"x": 1}'), "posted for a\n")
        self.assertIn("expected a key", self.act(id="a", action="post", event="HOLD", data="{"))
        self.assertEqual(self.inbox("a"), ["HOLD"])
        asked = json.loads(self.fine("approvals", "--json", self.store, "a"))[0]
        for decision, word in (("approve", "approves"), ("reject", "rejects")):
            said = self.act(id="a", action="vote", invocation=asked["id"], digest=asked["digest"], decision=decision, reason="as --agreed")
            self.assertIn(f"ada {word}", said)
        self.assertIn("approval", self.inbox("a"))
        self.assertIn("digest", self.act(id="a", action="vote", invocation=asked["id"], digest="0" * 64, decision="approve"))
        self.assertIn("posted", self.act(id="a", action="stop"))
        self.assertIn("b", self.act(id="a", action="fork", to="b"))
        self.act(id="a", action="fork", to="c", checkpoint="first")
        self.act(id="a", action="fork", to="d", checkpoint="@1")
        self.assertEqual(self.rows(), ["a", "b", "c", "d"])
        self.fine("send", self.store, "b", "HOLD")
        self.assertIn("ask", self.act(id="b", action="restore", checkpoint="@1"))
        for id in "bcd":
            journal = json.loads(self.fine("journal", "--json", self.store, id))
            self.assertEqual(journal[0]["record"]["origin"], {"interface": "command", "sender": "ada"}, id)
            self.assertIn(journal[-1]["record"]["input"]["kind"], ("fork", "restore"))
            self.assertEqual(journal[-1]["record"]["origin"], {"interface": "command", "sender": "ada"}, id)
        self.assertIn("no checkpoint", self.act(id="c", action="restore", checkpoint="none"))
        self.assertTrue(self.act(id="a", action="retry", invocation="none"))
        self.assertIn("there is no such action", self.act(id="a", action="rm", status=400))
        said = [self.process.stdout.readline() for _ in range(2)]
        self.assertRegex(said[0], r"Z  ada: post a: done\n$")
        self.assertRegex(said[1], r"Z  ada: post a: not done\n$")
        self.assertRegex(self.process.stdout.readline(), f"Z  ada: vote {re.escape(asked['id'])} approve: done\n$")

    def test_what_an_action_came_to_is_told_where_it_was_taken(self):
        self.start("a", "b")
        self.serve()
        form = re.search(r'name="form" value="(\w+)"', self.page("/instance?id=a"))[1]
        answer = self.get("/act", "POST", urlencode({"form": form, "id": "a", "action": "post", "event": "HOLD"}),
                          Content_Type="application/x-www-form-urlencoded", Origin=f"http://{self.host}")
        for other in ("/instance?id=b", "/instance?id=a", "/instance?id=a&said=7", "/instance?id=a&said=x"):
            self.assertNotIn('class="said"', self.page(other))
        for _ in range(2):  # it stays when the page is read again
            self.assertIn("posted for a", self.page(answer.getheader("Location")))
        for _ in range(64):
            self.act(form=form, id="a", action="retry", invocation="none")
        self.assertNotIn('class="said"', self.page(answer.getheader("Location")))

    def test_an_id_is_no_option(self):
        self.fine("start", "--", self.store, self.ship, "--help")
        self.serve()
        self.assertEqual(self.act(id="--help", action="post", event="--all"), "posted for --help\n")

    def test_read_only(self):
        self.start("a")
        self.serve("--read-only")
        text = self.page("/instance?id=a")
        self.assertNotIn('method="post"', text)
        self.assertEqual(self.act(form="0" * 64, id="a", action="stop", status=403).count("not from here"), 1)

    def test_two_people_at_once(self):
        self.start("a")
        self.serve()
        first = (self.process, self.port, self.cookie, self.host)
        self.serve()
        self.act(id="a", action="post", event="HOLD")
        self.process, self.port, self.cookie, self.host = first
        self.act(id="a", action="post", event="GO")
        self.assertEqual(self.inbox("a"), ["HOLD", "GO"])


class Guard(Serve):
    def test_who_may_ask(self):
        self.start("a")
        self.serve()
        self.assertEqual(self.get("/", cookie=None).status, 403)
        self.assertEqual(self.get("/", cookie="wfsm_1=x").status, 403)
        self.assertEqual(self.get("/?token=" + "0" * 64, cookie=None).status, 403)
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.nip.io:{self.port}"):
            self.assertEqual(self.get("/", Host=host).status, 421, host)
        for host in (f"localhost:{self.port}", f"[::1]:{self.port}"):
            self.assertEqual(self.get("/", Host=host).status, 200, host)
        first = self.get(f"/?token={self.token}", cookie=None)
        self.assertEqual((first.status, first.getheader("Location")), (303, "/"))
        self.assertRegex(first.getheader("Set-Cookie"), r"^wfsm_\d+=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict$")
        answer = self.get("/")
        self.assertIn("default-src 'none'", answer.getheader("Content-Security-Policy"))
        self.assertNotIn("unsafe", answer.getheader("Content-Security-Policy"))
        self.assertEqual(answer.getheader("X-Content-Type-Options"), "nosniff")

    def test_cookies_of_other_servers(self):
        self.start("a")
        self.serve()
        name, value = self.cookie.split("=")
        for cookies, status in ((f"x{name}=1; {name}={value}", 200), (f"{name}=1; {name}={value}; z=2", 200), (f"{name}={value[:-1]}", 403),
                                (f"{name}={value}0", 403), (f"x{name}={value}", 403), (f"a=b;;; {name}={value}", 200), (f"{name}", 403)):
            self.assertEqual(self.get("/", cookie=cookies).status, status, cookies)

    def test_what_a_stranger_sends_is_not_kept(self):
        """It would be too much from anybody else."""
        self.serve()
        body = "x=" + "y" * (2 << 20)
        for cookie, status in ((None, 403), (self.cookie, 413)):
            self.assertEqual(self.get("/act", "POST", body, cookie=cookie, Content_Type="application/x-www-form-urlencoded").status, status)

    def test_forms_from_elsewhere(self):
        self.start("a")
        self.serve()
        for more in ({"form": "0" * 64}, {"origin": None}, {"origin": "null"}, {"origin": "http://evil.example"},
                     {"origin": f"https://127.0.0.1:{self.port}"}):
            self.act(id="a", action="post", event="HOLD", status=403, **more)
        self.assertEqual(self.inbox("a"), [])
        self.assertEqual(self.get("/act").status, 404)
        self.assertEqual(self.get("/", "PUT", "x").status, 405)

    def test_too_much(self):
        self.serve()
        self.assertEqual(self.get("/act", "POST", "x=" + "y" * (2 << 20), Content_Type="application/x-www-form-urlencoded").status, 413)
        self.assertEqual(self.get("/?" + "&".join(f"x{number}=1" for number in range(100))).status, 413)
        self.assertGreaterEqual(self.get("/?machine=" + "x" * 100000).status, 400)
        self.page("/")

    def raw(self, data):
        with socket.create_connection(("127.0.0.1", int(self.port)), timeout=600) as one:
            one.sendall(data)
            one.shutdown(socket.SHUT_WR)
            return one.makefile("rb").read()

    def test_what_is_no_request(self):
        self.serve()
        for data in (b"", b"\0" * 1000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
                     b"POST /act HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"POST /act HTTP/1.1\r\nContent-Length: 99\r\n\r\nabc",
                     b"GET /%00%ff%zz HTTP/1.1\r\n\r\n", b"A" * 100000, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20000 + b"\r\n"):
            with contextlib.suppress(OSError):
                self.assertNotIn(b" 200 ", self.raw(data)[:20])
        self.page("/")

    def status_of(self, data):
        """The connection stays open behind an answer, so no more than its beginning is read."""
        with socket.create_connection(("127.0.0.1", int(self.port)), timeout=600) as one:
            one.sendall(data)
            one.shutdown(socket.SHUT_WR)
            return one.makefile("rb").read(12)[9:].decode("latin-1")

    def test_mutated_requests(self):
        """Each ends, with an answer or without one, and the server continues."""
        self.start("a")
        self.serve()
        form = re.search(r'name="form" value="(\w+)"', self.page("/instance?id=a"))[1]
        body = urlencode({"form": form, "id": "a", "action": "post", "event": "HOLD", "data": "null"})
        head = f"HTTP/1.1\r\nHost: {self.host}\r\nCookie: {self.cookie}\r\nOrigin: http://{self.host}\r\n"
        seeds = [f"GET {path} {head}\r\n".encode() for path in (
            "/", "/?where=n%3E0&where=n%3C9&status=running&after=a&stuck=1&waits=ada", "/instance?id=a&to=1&said=0", "/machine?name=ship",
            "/events/instance?id=a", "/events/machine?name=ship", "/metrics", f"/?token={self.token}")]
        seeds.append(f"POST /act {head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
                     f"{body}".encode())
        dice, statuses = random.Random(7), collections.Counter()
        for _ in range(2000):
            with contextlib.suppress(ConnectionError):
                # What is cut would be waited for.
                statuses[self.status_of(mutated(dice, seeds) + b"\r\n\r\n" + b" " * 500)] += 1
        self.assertGreater(statuses["200"], 10, statuses)
        self.assertGreater(len(statuses), 4, statuses)
        self.assertFalse({"500", "503"} & set(statuses), statuses)
        self.page("/instance?id=a")
        self.fine("audit", self.store)

    def test_many_slow_clients(self):
        self.serve()
        slow = []
        for _ in range(1000):
            one = socket.create_connection(("127.0.0.1", int(self.port)), timeout=600)
            self.addCleanup(one.close)
            one.sendall(b"GET / HT")
            slow.append(one)
        self.page("/")

    def test_a_client_that_never_ends_its_head(self):
        """A byte at a time, and without end: the server ends it."""
        self.serve()
        with socket.create_connection(("127.0.0.1", int(self.port)), timeout=600) as one:
            one.sendall(b"GET / HTTP/1.1\r\nX: ")
            one.setblocking(False)
            end = None
            while end is None:
                with contextlib.suppress(ConnectionError):
                    one.send(b"x")
                select.select([one], [], [], 0.05)
                try:
                    end = one.recv(1)
                except BlockingIOError:
                    pass
                except ConnectionError:
                    end = b""
            self.assertEqual(end, b"")
        self.page("/")

    def test_more_clients_than_there_is_room_for(self):
        """The oldest one that has sent no request makes room."""
        self.serve()
        clients = []
        for _ in range(1200):
            one = socket.create_connection(("127.0.0.1", int(self.port)), timeout=600)
            self.addCleanup(one.close)
            one.sendall(b"GET / HT")
            clients.append(one)
        with contextlib.suppress(ConnectionError):
            self.assertEqual(clients[0].recv(1), b"")
        self.page("/")
        self.page("/metrics")

    def test_a_store_that_goes_and_comes_back(self):
        self.start("a")
        self.serve()
        gone = self.folder / "gone.db"
        self.store.rename(gone)
        for path in ("/", "/instance?id=a", "/machine?name=ship", "/metrics"):
            self.page(path, 503)
        self.assertEqual(self.get("/events/").status, 200)
        gone.rename(self.store)
        self.assertEqual(self.rows(), ["a"])
        self.process.terminate()
        self.assertEqual(self.process.wait(600), 0)

    def test_the_command_line(self):
        for line, code in (((), 64), (("--port", "x", self.store), 64), (("--port", "70000", self.store), 64), ((self.store, "x"), 64),
                           ((self.folder / "none.db",), 1)):
            self.assertEqual(run("serve", *line).returncode, code, line)


if __name__ == "__main__":
    test_command.WFSM = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
