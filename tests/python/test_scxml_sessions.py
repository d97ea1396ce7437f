"""SCXML charts that invoke sessions, imported and played by the router (doc/scxml.md)."""
import json
import re
import subprocess
import sys
import unittest

from support import ROOT, Case, wfsm
from wfsm import scxml

OPEN = '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="{}"{}>\n'
ENDS = '<final id="pass"/><final id="fail"/>'


def chart(body, name="top"):
    return OPEN.format(name, "") + body + ENDS + "</scxml>"


def child(body, attributes="", inside="", data=""):
    """An <invoke> whose session is this one."""
    datamodel = f"<datamodel>{data}</datamodel>" if data else ""
    return (f"<invoke {attributes}><content><scxml version='1.0'>{datamodel}{body}</scxml></content>"
            f"{inside}</invoke>")


def tell(event, target="#_parent", more=""):
    return f"<send event='{event}' target='{target}' {more}/>"


class Sessions(Case):
    def play(self, body, *events, until=0):
        """Plays a chart: an event after another, and then until a time."""
        self.logged = []
        documents = scxml.documents(chart(body))
        store = self.memory()
        with scxml.Sessions(store, documents, now=0, observer=self.note) as sessions:
            sessions.start("one", now=0)
            sessions.run(0)
            for event in events:
                sessions.send("one", event, now=0)
                sessions.run(0)
            while sessions.deadline is not None and sessions.deadline <= until:
                sessions.run(sessions.deadline)
        return wfsm.Instance.load(store, "one")

    def note(self, call):
        self.logged += [(call.instance.partition("/")[1], each["label"], each["value"])
                        for each in call.log or []]

    def heard(self, label):
        return [value for _, each, value in self.logged if each == label]

    def passes(self, body, *events, until=0):
        found = self.play(body, *events, until=until).configuration
        self.assertEqual(found, ["pass"], self.logged)


class Ids(Sessions):
    def test_idlocation_is_set_when_the_macrostep_is_over(self):
        self.play("<datamodel><data id='i'/></datamodel><state id='s'>"
                  "<onentry><log label='early' expr='i'/><raise event='x'/></onentry>"
                  "<transition event='x'><log label='early' expr='i'/></transition>"
                  "<transition event='later'><log label='late' expr='i'/></transition>"
                  + child("<state/>", "idlocation='i'") + "</state>", "later")
        self.assertEqual((self.heard("early"), self.heard("late")), ([None, None], ["s.1.1"]))

    def test_each_invocation_has_an_id_of_its_own(self):
        self.play("<datamodel><data id='i'/></datamodel><state id='s'>"
                  "<transition event='again' target='s'/>"
                  "<transition event='done.invoke.s'><log label='id' expr='[i, _event.invokeid, "
                  "_event.name, _event.type]'/></transition>"
                  + child("<final/>", "idlocation='i'") + "</state>", "again")
        self.assertEqual(self.heard("id"), [
            [f"s.1.{n}", f"s.1.{n}", f"done.invoke.s.1.{n}", "platform"] for n in (1, 2)])

    def test_a_session_knows_its_name(self):
        self.play("<state id='s'>" + child(
            "<final><onentry><log label='name' expr='_name'/></onentry></final>").replace(
                "<scxml ", "<scxml name='inner' ") + "</state>")
        self.assertEqual(self.heard("name"), ["inner"])


DELAY = "'2s'"
FIELDS = "[_event.name, _event.type, _event.sendid, _event.origin, _event.origintype, " \
         "_event.invokeid, _event.data]"


class Messages(Sessions):
    def test_what_an_event_says_of_its_sender(self):
        self.play("<state id='s'><transition event='hello'>"
                  f"<log label='event' expr='{FIELDS}'/></transition>"
                  + child("<state><onentry><send event='hello' target='#_parent' id='first'>"
                          "<param name='a' expr='1'/></send></onentry></state>", "id='c'")
                  + "</state>")
        (name, kind, sendid, origin, processor, invokeid, data), = self.heard("event")
        self.assertEqual((name, kind, sendid, invokeid, data),
                         ("hello", "external", "first", "c", {"a": 1}))
        self.assertRegex(origin, "^#_scxml_one/[0-9a-f]{16}$")
        self.assertEqual(processor, "http://www.w3.org/TR/scxml/#SCXMLEventProcessor")

    def test_an_answer_to_the_origin(self):
        self.passes("<state id='s'>"
                    "<transition event='hello'><send event='back' targetexpr='_event.origin'/>"
                    "</transition><transition event='heard' target='pass'/>"
                    + child(f"<state><onentry>{tell('hello')}</onentry>"
                            f"<transition event='back'>{tell('heard')}</transition></state>")
                    + "</state>")

    def test_to_a_child_by_its_generated_id(self):
        self.passes("<datamodel><data id='i'/></datamodel><state id='s'>"
                    "<transition event='go'><send event='x' targetexpr=\"'#_' + i\"/></transition>"
                    "<transition event='heard' target='pass'/>"
                    + child(f"<state><transition event='x'>{tell('heard')}</transition></state>",
                            "idlocation='i'") + "</state>", "go")

    def test_from_a_grandchild_through_its_end(self):
        inner = child(f"<final><onexit>{tell('deep')}</onexit></final>")
        self.passes("<state id='s'><transition event='heard' target='pass'/>"
                    "<transition event='done.invoke' target='fail'/>"
                    + child(f"<state>{inner}<transition event='deep' target='e'>{tell('heard')}"
                            "</transition><transition event='done.invoke' target='f'/></state>"
                            "<final id='e'/><final id='f'/>") + "</state>")

    def test_those_of_a_session_that_was_left_are_ignored(self):
        self.play("<state id='s'><transition event='again' target='s'/>"
                  "<transition event='bye'><log label='bye'/></transition>"
                  + child(f"<state><onexit>{tell('bye')}</onexit></state>") + "</state>",
                  "again", "again")
        self.assertEqual(self.heard("bye"), [])

    def test_the_exit_of_a_session_that_is_left(self):
        self.play("<state id='s'><transition event='leave' target='pass'/>"
                  + child("<state initial='b'><onexit><log label='exit' expr='\"outer\"'/></onexit>"
                          "<state id='b'><onexit><log label='exit' expr='\"inner\"'/></onexit></state>"
                          "</state>") + "</state>", "leave")
        self.assertEqual(self.heard("exit"), ["inner", "outer"])

    def test_after_a_delay(self):
        body = ("<state id='s'><transition event='late' target='pass'/>"
                + child(f"<state><onentry>{tell('late', more='delay=' + DELAY)}</onentry></state>")
                + "</state>")
        self.assertEqual(self.play(body, until=1999).configuration, ["s"])
        self.passes(body, until=2000)

    def test_who_cannot_be_reached(self):
        for target in ("#_parent", "#_nobody", "#_c", "#_scxml_two"):
            with self.subTest(target):
                self.passes("<state id='a'><transition event='go' target='s'/></state><state id='s'>"
                            f"<onentry>{tell('x', target, 'id=' + chr(34) + 'i' + chr(34))}</onentry>"
                            "<transition event='error.communication' target='pass' "
                            "cond='_event.sendid == \"i\" &amp;&amp; _event.type == \"platform\"'/>"
                            "<transition event='*' target='fail'/>"
                            + child("<state/>", "id='c'") + "</state>", "go")


class Forwarding(Sessions):
    def test_a_copy_of_every_external_event(self):
        log = f"<log label='{{}}' expr='{FIELDS}'/>"
        self.play("<state id='s'><onentry><send event='timer' id='t'/><raise event='own'/></onentry>"
                  f"<transition event='*'>{log.format('mine')}</transition>"
                  + child(f"<state><onentry>{tell('hello')}</onentry>"
                          f"<transition event='*'>{log.format('copy')}</transition></state>",
                          "autoforward='true'")
                  + child("<final/>", "id='short'") + "</state>", "host")
        mine = [each for each in self.heard("mine") if each[0] != "own"]
        self.assertEqual({each[0] for each in mine}, {"timer", "hello", "host", "done.invoke.short"})
        copies = self.heard("copy")
        self.assertEqual([each[:1] + each[2:] for each in copies],
                         [each[:1] + each[2:] for each in mine])


class Finalize(Sessions):
    BODY = ("<datamodel><data id='v' expr='1'/></datamodel><state id='s'>{}"
            "<transition event='*' target='fail'/>{}</state>")

    def told(self, finalize, transitions, attributes="", param="<param name='v' expr='2'/>"):
        inner = ("<final><onentry><send event='told' target='#_parent'>"
                 f"{param}</send></onentry></final>")
        self.passes(self.BODY.format(transitions, child(inner, attributes, finalize)))

    def test_comes_before_the_transitions(self):
        self.told("<finalize><assign location='v' expr='_event.data.v'/></finalize>",
                  "<transition event='told' cond='v == 2' target='pass'/>")

    def test_makes_no_eventless_transition_come_first(self):
        self.told("<finalize><assign location='v' expr='2'/></finalize>",
                  "<transition cond='v == 2' target='fail'/>"
                  "<transition event='told' target='pass'/>")

    def test_that_fails(self):
        """Its error comes behind the event."""
        self.told("<finalize><assign location='v' expr='nowhere'/></finalize>",
                  "<transition event='told' target='pass'/>")

    def test_without_content_takes_what_the_namelist_names(self):
        self.told("<finalize/>", "<transition event='told' cond='v == 2' target='pass'/>",
                  "namelist='v'")

    def test_for_the_end_and_only_for_its_own_session(self):
        self.play(self.BODY.format(
            "<transition event='done.invoke'><log label='v' expr='v'/></transition>",
            child("<state><onentry><send event='end' delay='1s'/></onentry>"
                  "<transition event='end' target='e'/></state><final id='e'/>", "id='slow'",
                  "<finalize><assign location='v' expr='_event.name'/></finalize>")
            + child("<final/>", "id='quick'")), until=1000)
        self.assertEqual(self.heard("v"), [1, "done.invoke.slow"])


class Data(Sessions):
    def given(self, invoke, data, cond):
        inner = (f"<state><transition cond='{cond}' target='yes'/><transition target='no'/></state>"
                 f"<final id='yes'><onentry>{tell('yes')}</onentry></final><final id='no'/>")
        self.passes("<datamodel><data id='v' expr='4'/></datamodel><state id='s'>"
                    "<transition event='yes' target='pass'/>"
                    "<transition event='done.invoke' target='fail'/>"
                    + child(inner, data=data).replace("<invoke >", invoke) + "</state>")

    def test_params_and_names_replace_the_initial_values(self):
        self.given("<invoke namelist='v'><param name='w' expr='v + 1'/>",
                   "<data id='v' expr='0'/><data id='w' expr='v + nowhere'/><data id='x' expr='w'/>",
                   "v == 4 &amp;&amp; w == 5 &amp;&amp; x == 5")

    def test_what_the_child_has_not_declared_is_not_given(self):
        self.given("<invoke namelist='v'>", "<data id='w'/>", "typeof v == \"undefined\"")

    def test_what_cannot_be_computed_invokes_nothing(self):
        for broken in ("namelist='nowhere'", "typeexpr='nowhere'", "typeexpr='\"other\" + 1'"):
            with self.subTest(broken):
                self.passes("<state id='s'><transition event='error.execution' target='pass'/>"
                            "<transition event='*' target='fail'/>"
                            + child("<final/>", broken) + "</state>")

    def test_done_data(self):
        self.play("<state id='s'><transition event='done.invoke.c'>"
                  "<log label='data' expr='_event.data'/></transition>"
                  + child("<final><donedata><param name='a' expr='1'/></donedata></final>", "id='c'")
                  + "</state>")
        self.assertEqual(self.heard("data"), [{"a": 1}])


REFUSED = [
    ("<invoke/>", "expected src or <content>"),
    ("<invoke src='a.scxml' srcexpr='b'/>", "expected src or <content>"),
    ("<invoke srcexpr='b'/>", "srcexpr is not supported"),
    ("<invoke type='http'><content><scxml/></content></invoke>", 'type="http" is not supported'),
    ("<invoke><content expr='x'/></invoke>", "XML as data"),
    ("<invoke src='nowhere.scxml'/>", "No such file"),
    ("<invoke src='../top.scxml'/>", "beside the chart"),
    ("<invoke src='top.scxml'/>", "a chart that invokes itself"),
    ("<invoke src='bad.scxml'/>", "bad.scxml\": line 1: not XML"),
    (child("<final/>", "autoforward='yes'"), "expected true or false"),
    (child("<final/>", "id='a' idlocation='b'"), "either id or idlocation"),
    (child("<final/>", "id='a'") + child("<final/>", "id='a'"), "the id a is taken (line 2)"),
    (child("<final/>", "", "<finalize><raise event='x'/></finalize>"), "not expected in <finalize>"),
    (child(f"<final><onentry>{tell('done.x')}</onentry></final>"), "from the processor only"),
    (child("<final><onentry><send id='_received' event='x'/></onentry></final>"), "importer's own"),
]


class Errors(Case):
    def test_what_cannot_be_imported_has_a_line(self):
        folder = self.folder()
        (folder / "bad.scxml").write_text("bad")
        for body, problem in REFUSED:
            with self.subTest(body):
                path = folder / "top.scxml"
                path.write_text(chart(f"<state id='s'>{body}</state>"))
                with self.assertRaisesRegex(scxml.ScxmlError, re.escape(problem)) as caught:
                    scxml.load_documents(path)
                self.assertEqual(caught.exception.line, 2)

    def test_one_document_is_not_all_of_it(self):
        with self.assertRaisesRegex(scxml.ScxmlError, r"documents\(\)"):
            scxml.convert(chart(f"<state id='s'>{child('<final/>')}</state>"))


class Command(Case):
    def run_command(self, *words):
        return subprocess.run([sys.executable, "-m", "wfsm.scxml", *map(str, words)],
                              capture_output=True, text=True, check=False)

    def test_a_folder_of_documents(self):
        folder = self.folder()
        path = folder / "top.scxml"
        path.write_text(chart(f"<state id='s'>{child('<final/>')}</state>", "a/b"))
        done = self.run_command(path)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("2 documents: --output", done.stderr)
        done = self.run_command(path, "--output", folder / "out")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        found = {each.name: json.loads(each.read_text())["id"] for each in (folder / "out").iterdir()}
        self.assertEqual(found, {"a_b.json": "a/b", "a_b.s.1.json": "a/b.s.1"})
        self.assertEqual(self.run_command(path, "--output", path).returncode, 1)


class Page(unittest.TestCase):
    """doc/scxml.md lists what the runner of the suites declines."""

    def test_the_list_of_what_stays_declined(self):
        page = (ROOT / "doc" / "scxml.md").read_text(encoding="utf-8")
        declined = json.loads((ROOT / "tests" / "conformance" / "declined.json").read_text())
        table = page.partition("| reason | cases |\n|---|---|\n")[2].partition("\n\n")[0]
        rows = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", table, re.M))
        listed = {}
        for reason, cases in rows.items():
            suite = "w3c-ecma"
            for case in cases.split(", "):
                suite, _, name = case.rpartition("/") if "/" in case else (suite, "", case)
                listed[f"{suite}/{name}"] = reason
        self.assertEqual(listed, declined)
        text = " ".join(page.split())
        self.assertIn(f"Of its 330 cases, {330 - len(declined)} pass", text)


if __name__ == "__main__":
    unittest.main()
