"""SCXML charts, imported and run (doc/scxml.md)."""
import json
import re
import subprocess
import sys
import unittest
from xml.sax.saxutils import quoteattr

from support import ROOT, Case, wfsm
from wfsm import scxml
from wfsm.scxml import _layout as layout, _rules as rules

OPEN = '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="chart"{}>\n'
OUTCOMES = '\n<final id="pass"/><final id="fail"/></scxml>'


def chart(body, attributes=""):
    """The first line of `body` is line 2."""
    return OPEN.format(attributes and " " + attributes) + body + OUTCOMES


class Chart(Case):
    def imported(self, body, attributes="", **options):
        self.warnings = []
        return scxml.convert(chart(body, attributes), warn=self.warnings.append, **options)

    def start(self, body, attributes="", **options):
        document = self.imported(body, attributes, **options)
        one = wfsm.Instance.start(wfsm.Machine.load(document), self.memory(), "one", now=0)
        self.log = list(one.log)
        one.observe(lambda call: self.log.extend(call.log))
        one.advance(0)
        return one

    def heard(self):
        return [entry["value"] if entry["label"] is None else (entry["label"], entry["value"])
                for entry in self.log]

    def state(self, body, attributes="", **options):
        return self.start(body, attributes, **options).configuration


DATA = """<datamodel>
  <data id="n" expr="3"/><data id="s" expr="'abc'"/><data id="t" expr="true"/>
  <data id="nothing"/><data id="list" expr="[1, 2, 3]"/><data id="empty" expr="[]"/>
  <data id="o" expr="{a: {b: [10, 20]}, 'k.x': 7, 'length': 99}"/>
  <data id="any" expr="t ? 5 : 'five'"/><data id="text" expr="t ? '5' : 5"/>
  <data id="r"/>
</datamodel>"""

# An expression of ECMAScript and its value.
EXPRESSIONS = [
    ("1 + 2 * 3 - 4 / 2 % 3", 5), ("(1 + 2) * 3", 9), ("2 ** 3", 8), ("-n + +'4'", 1),
    ("0x1F + .5 + 1e2", 131.5), ("n + 1", 4), ("n + '1'", "31"), ("'a' + n + 1", "a31"),
    ("n + 1 + 'a'", "4a"), ("any + 1", 6), ("text + 1", "51"), ("any + text", "55"),
    ("text * 2", 10), ("text - 1", 4), ("t * 2", 2), ("1 / 0", None),
    ("'\\x41\\u00e9\\n\\'' + \"\\u{1F600}\"", "A\u00e9\n'\U0001F600"),
    ("n === 3", True), ("n == '3'", True), ("n === '3'", False), ("n != 4", True),
    ("n !== 3", False), ("n < 4 && s > 'abb'", True), ("n >= 4 || n <= 2", False),
    ("nothing == undefined", True), ("nothing === null", True), ("[1] == '1'", True),
    ("!n", False), ("!!s", True), ("!''", True), ("!empty", False), ("!0", True),
    ("empty ? 'yes' : 'no'", "yes"), ("nothing ? 'yes' : 'no'", "no"),
    ("empty && 5", 5), ("nothing && 5", None), ("empty || 5", []), ("nothing || 5", 5),
    ("(nothing || empty) && (n || 1)", 3), ("(any && empty) || 5", []),
    ("(nothing ?? empty) || 1", []), ("(empty && 0) || (nothing || s)", "abc"),
    ("0 || ''", ""), ("nothing ?? 4", 4), ("0 ?? 4", 0), ("s && n", 3),
    ("n == 1 ? 'one' : n == 3 ? 'three' : 'many'", "three"),
    ("true | false", 1), ("n == 3 & n == 4", 0),
    ("typeof nothing", "undefined"), ("typeof n", "number"), ("typeof s", "string"),
    ("typeof t", "boolean"), ("typeof list", "object"), ("typeof o", "object"),
    ("typeof missing", "undefined"), ("typeof missing === 'undefined'", True),
    ("typeof n === 'number'", True), ("typeof s != 'string'", False),
    ("typeof list == 'object'", True), ("typeof s == 'object'", False),
    ("typeof (any + 1) === 'number'", True),
    ("list instanceof Array", True), ("o instanceof Array", False),
    ("s instanceof Array", False), ("o instanceof Object", True),
    ("Array.isArray(list)", True), ("Array.isArray(n)", False),
    ("[n, [s], {}]", [3, ["abc"], {}]), ("{a: n, 'b c': [1], 3: s}",
                                          {"a": 3, "b c": [1], "3": "abc"}),
    ("{n, s}", {"n": 3, "s": "abc"}), ("{var: n}", {"var": 3}), ("{'+': [1, 2]}", {"+": [1, 2]}),
    ("{if: {min: [n, 1]}}", {"if": {"min": [3, 1]}}),
    ("o.a.b[1]", 20), ("o['a'].b[0]", 10), ("o.a['b'][n - 2]", 20), ("o['k.x']", 7),
    ("o[s]", None), ("o.x.y.z", None), ("list[0]", 1), ("list[9]", None), ("list[-1]", None),
    ("list.length", 3), ("s.length", 3), ("[].length", 0), ("{length: 4}.length", 4),
    ("'a' in o", True), ("'b' in o", False), ("'r' in {r: null}", True),
    ("list.concat(4, [5])", [1, 2, 3, 4, 5]), ("[].concat(list, [[4]])", [1, 2, 3, [4]]),
    ("'a'.concat(n, s)", "a3abc"), ("text.concat('x')", "5x"),
    ("list.slice(1)", [2, 3]), ("s.slice(-2, 3)", "bc"), ("s.substr(1, 1)", "b"),
    ("list.includes(2)", True), ("s.includes('bc')", True), ("list.includes(9)", False),
    ("n.toString() + 1", "31"), ("String(n)", "3"), ("Number('4') + 1", 5),
    ("Boolean(empty)", True), ("Boolean(0)", False), ("isNaN('x')", True), ("isNaN(n)", False),
    ("parseFloat('3.5')", 3.5), ("0 == nothing", False), ("o == '[object Object]'", True),
    ("any == 'five'", False), ("list == 5", False), ("'x' - 1", None), ("[] + 1 > 0", False),
    ("'x' < 1", False), ("n / (n - 3)", None), ("o && 5", 5), ("list == o", False),
    ("Math.min(n, 2, 9)", 2), ("Math.max(n, '4')", 4), ("Math.abs(2 - n)", 1),
    ("Math.pow(n, 3)", 27), ("Math.pow(n + 1, 2)", 16),
    ("_name", "chart"), ("_sessionid", "one"), ("_event", None), ("_event.name", None),
    ("_event.anything", None), ("_x", {}),
    ("_ioprocessors['scxml'].location", "#_scxml_one"),
    ("_ioprocessors['http://www.w3.org/TR/scxml/#SCXMLEventProcessor'].location",
     "#_scxml_one"),
    ("In('s') && !In('pass')", True), ("In('nowhere')", False),
    ("n /* three */ + // and\n 1", 4), ("n;", 3),
]

# What SCXML finds at run time: error.execution, and the rest of the block is not run.
ILLEGAL = [
    "", "return", "1 +", "{a: 1", "[1", "'open", "1 2", "missing", "missing.a", "o.", "a b",
    "n + missing", "@", "'\\u12'", "if (n) 1", "n(1)", "list[", "var x",
]

# Legal, but there is nothing that would mean the same.
UNSUPPORTED = [
    "function () {}", "new Date()", "n = 1", "n += 1", "n++", "++n", "/a/.test(s)", "`a`",
    "() => 1", "x => 1", "[...list]", "o?.a", "1, 2", "n | 1", "~n", "n << 1", "n ^ 1",
    "f(1)", "s.replace('a', 'b')", "JSON.stringify(n)", "Math.random()", "In(s)", "In()",
    "void 0", "delete o.a", "this.n", "[1,,2]", "({[s]: 1})", "({...o})", "Math.pow(2, n)",
    "9007199254740993", "1e999", "'\\ud800'", "n instanceof Date", "In('a', 'b')",
    "(" * 120 + "1" + ")" * 120, "+".join("1" * 120), "class A {}", "{f() {}}",
]


class Expressions(Chart):
    def assigned(self, expression):
        return self.start(DATA + f"""<state id="s"><onentry>
            <assign location="r" expr={quoteattr(expression)}/><raise event="fine"/>
            </onentry><transition event="error.execution" target="fail"/></state>""")

    def test_values(self):
        for expression, value in EXPRESSIONS:
            with self.subTest(expression):
                one = self.assigned(expression)
                self.assertEqual((one.context["r"], one.configuration), (value, ["s"]))
                self.assertEqual(type(one.context["r"]) is bool, type(value) is bool)
                self.assertEqual(self.warnings, [])

    def test_guards_are_true_where_values_are(self):
        falsy = (None, False, 0, "")
        for expression, value in EXPRESSIONS:
            with self.subTest(expression):
                true = isinstance(value, (list, dict)) or value not in falsy
                found = self.state(DATA + f"""<state id="s">
                    <transition cond={quoteattr(expression)} target="pass"/>
                    <transition target="fail"/></state>""")
                self.assertEqual(found, ["pass" if true else "fail"])

    def test_illegal_ones_fail_when_they_are_evaluated(self):
        for expression in ILLEGAL:
            with self.subTest(expression):
                one = self.assigned(expression)
                self.assertEqual((one.context["r"], one.configuration), (None, ["fail"]))
                (warning,) = self.warnings
                self.assertEqual((warning.line, warning.element), (9, "assign"))

    def test_unsupported_ones_name_their_place(self):
        for expression in UNSUPPORTED:
            with self.subTest(expression[:40]):
                with self.assertRaises(scxml.ScxmlError) as caught:
                    self.assigned(expression)
                self.assertEqual((caught.exception.line, caught.exception.element),
                                 (9, "assign"))

    def test_an_illegal_guard_is_false_and_raises_an_error(self):
        self.assertEqual(self.state("""<state id="s">
            <transition cond="return" target="fail"/>
            <transition event="error.execution" target="pass"/></state>"""), ["pass"])

    def test_the_operators_are_those_of_the_library(self):
        source = (ROOT / "lib" / "logic" / "operators.c").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r'^    \{"([^"]+)", WF_SHAPE', source, re.M)),
                         rules.OPERATORS)

    def test_rules_do_not_grow_faster_than_what_they_say(self):
        text = "||".join(f"(_event.data.a{n} && (_event.data.b{n} ?? r))" for n in range(40))
        found = self.imported(DATA + f"""<state id="s"><onentry>
            <assign location="r" expr={quoteattr(text)}/></onentry></state>""")
        self.assertLess(len(json.dumps(found)), 20 * len(text))

    def test_the_null_data_model_has_only_in(self):
        self.assertEqual(self.state("""<state id="s">
            <transition cond="In('fail') || !In('s')" target="fail"/>
            <transition cond="In('s')" target="pass"/></state>""", 'datamodel="null"'), ["pass"])
        with self.assertRaisesRegex(scxml.ScxmlError, r"line 2, <transition>: cond: .*In\(\)"):
            self.imported('<state><transition cond="1 == 1"/></state>', 'datamodel="null"')


class Structure(Chart):
    def test_external_transitions_leave_their_source_and_internal_ones_do_not(self):
        body = """<state id="p" initial="a"><onexit><log label="exit"/></onexit>
            <transition event="in" type="internal" target="b"/>
            <transition event="out" target="b"/>
            <transition event="self" type="internal" target="p"/>
            <transition event="back" target="h"/>
            <state id="a"/><state id="b"/><history id="h"/></state>"""
        one = self.start(body)
        for event, exits in (("in", 0), ("out", 1), ("self", 1), ("back", 1)):
            with self.subTest(event):
                self.log.clear()
                one.send(event)
                self.assertEqual(len(self.log), exits)

    def test_reenter_is_said_only_where_it_matters(self):
        found = self.imported("""<state id="a"><transition event="e" target="b"/></state>
            <state id="b"/>""")
        self.assertEqual(found["states"]["a"]["on"], [{"event": "e.*", "target": "#b"}])

    def test_an_internal_transition_of_a_parallel_state_is_external(self):
        one = self.start("""<parallel id="p"><onexit><log label="exit"/></onexit>
            <transition event="e" type="internal" target="a"/>
            <state id="a"/><state id="b"/></parallel>""")
        one.send("e")
        self.assertEqual(len(self.log), 1)

    def test_event_descriptors(self):
        one = self.start("""<state id="s">
            <transition event="a.b c.*"><log label="1"/></transition>
            <transition event="a d."><log label="2"/></transition>
            <transition event="x.*"><log label="3"/></transition>
            <transition event="*"><log label="4"/></transition></state>""")
        for event in ("a.b.c", "a.b", "a", "ab", "c", "c.d", "d.e", "x"):
            one.send(event)
        self.assertEqual([entry["label"] for entry in self.log], list("11241123"))

    def test_a_dot_and_a_star_stand_for_every_event(self):
        one = self.start('<state id="s"><transition event=".*" target="pass"/></state>')
        one.send("e")
        self.assertEqual(one.configuration, ["pass"])

    def test_ids_with_dots_and_states_without_ids(self):
        one = self.start("""<state id="a.b"><onentry><log expr="In('a.b')"/></onentry>
            <state><transition event="e" target="c"/></state><state id="c"/>
            <transition event="done.state.a.b" target="pass"/></state><state id="a_b"/>""")
        self.assertEqual(self.heard(), [True])
        self.assertTrue(one.in_state("#a.b"))
        one.send("e")
        self.assertTrue(one.in_state("#c"))

    def test_initial_elements_and_deep_initial_targets(self):
        one = self.start("""<state id="s"><initial><transition target="d"><log label="i"/>
            </transition></initial><state id="c"><state id="x"/><state id="d"/></state></state>
            <parallel id="p"><state id="q"><state id="q1"/><state id="q2"/></state>
            <state id="r"><state id="r1"/><state id="r2"/></state>
            </parallel>""", 'initial="q2 r2"')
        self.assertEqual(one.configuration, ["p.q.q2", "p.r.r2"])
        one = self.start("""<state id="s"><initial><transition target="d"><log label="i"/>
            </transition></initial><state id="c"><state id="x"/><state id="d"/></state>
            </state>""")
        self.assertEqual((one.configuration, self.heard()), (["s.c.d"], [("i", None)]))

    def test_histories(self):
        one = self.start("""<state id="s" initial="h"><history id="h" type="deep">
            <transition target="b"><log label="default"/></transition></history>
            <state id="a"/><state id="c"><state id="b"><transition event="n" target="d"/>
            </state><state id="d"/></state><transition event="out" target="o"/></state>
            <state id="o"><transition event="back" target="h"/></state>""")
        self.assertEqual((one.configuration, self.heard()), (["s.c.b"], [("default", None)]))
        for event in ("n", "out", "back"):
            one.send(event)
        self.assertEqual(one.configuration, ["s.c.d"])

    def test_blocks_fail_one_by_one(self):
        self.start("""<state id="s">
            <onentry><log expr="1"/><log expr="return"/><log expr="2"/></onentry>
            <onentry><log expr="3"/></onentry></state>""")
        self.assertEqual(self.heard(), [1, 3])

    def test_done_data(self):
        body = """<datamodel><data id="n" expr="2"/></datamodel><state id="s">
            <transition event="done.state.s"><log expr="_event.data"/></transition>
            <final id="f"><donedata>{}</donedata></final></state>"""
        for inner, value in (
                ('<param name="a" expr="n"/><param name="b" location="n"/>', {"a": 2, "b": 2}),
                ('<content expr="n + 1"/>', 3), ("<content> {\"a\": [1]} </content>", {"a": [1]}),
                ("<content>some\n  text</content>", "some text"),
                ('<content expr="return"/>', None)):
            with self.subTest(inner):
                self.start(body.format(inner))
                self.assertEqual(self.heard(), [value])


class Data(Chart):
    def test_what_is_plain_stands_in_the_context(self):
        found = self.imported("""<datamodel><data id="a" expr="{x: [1]}"/><data id="b"/>
            <data id="c">[1, {"var": "x"}]</data><data id="d"> some  text </data>
            <data id="e" expr="{var: 1}"/></datamodel><state id="s"/>""")
        self.assertEqual(found["context"], {"a": {"x": [1]}, "b": None, "c": [1, {"var": "x"}],
                                            "d": "some text", "e": {"var": 1}})
        self.assertNotIn("entry", found)

    def test_the_rest_is_computed_at_the_start_in_order(self):
        one = self.start("""<datamodel><data id="a" expr="b + 1"/><data id="b" expr="1"/>
            <data id="c" expr="_sessionid"/><data id="bad" expr="return"/></datamodel>
            <script>b = a * 2; var d = b</script>
            <state id="s"><datamodel><data id="e" expr="a"/></datamodel>
            <transition event="error.execution"><log label="error"/></transition></state>""")
        self.assertEqual(one.context, {"a": 2, "b": 4, "c": "one", "bad": None, "e": 2, "d": 4})
        self.assertEqual(self.heard(), [("error", None)])

    def test_late_binding_is_done_once(self):
        one = self.start("""<state id="s"><transition event="e" target="t"/></state>
            <state id="t"><datamodel><data id="x" expr="1"/></datamodel>
            <onentry><assign location="x" expr="x + 1"/></onentry>
            <transition event="e" target="t"/></state>""", 'binding="late"')
        self.assertIsNone(one.context["x"])
        one.send("e")
        self.assertEqual(one.context["x"], 2)
        one.send("e")
        self.assertEqual(one.context["x"], 3)

    def test_files_beside_the_chart(self):
        folder = self.folder()
        (folder / "inner").mkdir()
        (folder / "data.json").write_text('{"a": 1}', encoding="utf-8")
        (folder / "inner" / "more.txt").write_text("a\n text", encoding="utf-8")
        (folder / "s.js").write_text("x = 5;", encoding="utf-8")
        (folder / "d.xml").write_text("<a/>", encoding="utf-8")
        body = """<datamodel><data id="a" src="file:data.json"/><data id="b" src="inner/more.txt"/>
            <data id="x"/></datamodel><script src="s.js"/><state id="s"/>"""
        one = self.start(body, folder=folder)
        self.assertEqual(one.context, {"a": {"a": 1}, "b": "a text", "x": 5})
        for source in ("/etc/passwd", "../x", "http://localhost/x", "none.txt", "d.xml",
                       "file:///etc/passwd", "inner/../../x", "inner"):
            with self.subTest(source), self.assertRaises(scxml.ScxmlError):
                self.imported(f'<datamodel><data id="a" src="{source}"/></datamodel>',
                              folder=folder)
        with self.assertRaisesRegex(scxml.ScxmlError, "beside the chart"):
            self.imported('<datamodel><data id="a" src="data.json"/></datamodel>')

    def test_assignments(self):
        one = self.start(DATA + """<state id="s"><onentry>
            <assign location="o.a.c" expr="1"/><assign location="o['k.x']" expr="2"/>
            <assign location="list[1]" expr="9"/><assign location="o.a.b[n - 2]" expr="3"/>
            <assign location="r">{"x": 1}</assign></onentry></state>""")
        self.assertEqual(one.context["o"], {"a": {"b": [10, 3], "c": 1}, "k.x": 2, "length": 99})
        self.assertEqual((one.context["list"], one.context["r"]), ([1, 9, 3], {"x": 1}))

    def test_places_that_cannot_be_assigned(self):
        for location in ("missing", "missing.a", "_event", "_name", "_sessionid.x", "1", "n.x",
                         "_ioprocessors", "o.x.y", "list[9]", "'a'", "return"):
            with self.subTest(location):
                one = self.start(DATA + f"""<state id="s"><onentry>
                    <assign location={quoteattr(location)} expr="1"/><log label="on"/></onentry>
                    <transition event="error.execution" target="pass"/></state>""")
                self.assertEqual((one.configuration, self.heard()), (["pass"], []))

    def test_scripts_assign(self):
        one = self.start(DATA + """<state id="s"><onentry><script>
            n++; ++n
            n *= 2 // twelve?
            list.push(n, )
            var a = 1, b = a + 1, r; o.a.b[0] -= 4
            s += 'd'; any ||= 7
            list.push([8]); fresh = 'x'
            </script></onentry></state>""".replace("n, )", "n)"))
        context = one.context
        self.assertEqual((context["n"], context["list"]), (10, [1, 2, 3, 10, [8]]))
        self.assertEqual((context["a"], context["b"], context["s"]), (1, 2, "abcd"))
        self.assertEqual((context["o"]["a"]["b"], context["any"], context["fresh"]),
                         ([6, 20], 5, "x"))

    def test_scripts_that_do_more_are_refused(self):
        for script in ("f()", "function f() {}", "if (n) n = 1", "for (;;) n = 1", "n", "1 + 2",
                       "n = m = 1", "x => 1", "return 1", "while (n) n--"):
            with self.subTest(script), self.assertRaisesRegex(scxml.ScxmlError, "line 8, <scr"):
                self.imported(DATA + f"<state id='s'><onentry><script>{script}</script>"
                                     "</onentry></state>")


class Content(Chart):
    def test_if_and_foreach(self):
        one = self.start(DATA + """<state id="s"><onentry>
            <foreach array="list" item="each" index="at">
              <if cond="each == 1"><log expr="'one'"/>
              <elseif cond="return"/><log expr="'never'"/>
              <elseif cond="at == 1"/><log expr="'second'"/>
              <else/><log expr="each"/></if>
              <assign location="list" expr="[].concat(list, each)"/>
            </foreach></onentry></state>""")
        self.assertEqual(self.heard(), ["one", "second", 3])
        self.assertEqual((one.context["list"], one.context["at"]), ([1, 2, 3, 1, 2, 3], 2))

    def test_loops_that_cannot_run(self):
        for attributes in ('array="n" item="x"', 'array="list" item="\'x\'"',
                           'array="list" item="_event"', 'array="return" item="x"',
                           'array="list" item="x" index="x.y"'):
            with self.subTest(attributes):
                self.assertEqual(self.state(DATA + f"""<state id="s"><onentry>
                    <foreach {attributes}><raise event="no"/></foreach><raise event="no"/></onentry>
                    <transition event="error.execution" target="pass"/>
                    <transition event="*" target="fail"/></state>"""), ["pass"])

    def test_logs(self):
        self.start(DATA + """<state id="s"><onentry><log label="a" expr="n"/><log expr=""/>
            <log expr="'o: ' + JSON.stringify(o.a) + '!'"/><log expr="JSON.stringify(list)"/>
            </onentry></state>""")
        self.assertEqual(self.heard(), [("a", 3), None, ["o: ", {"b": [10, 20]}, "!"],
                                         [1, 2, 3]])

    def test_internal_events_go_before_external_ones(self):
        self.start("""<state id="s"><onentry><send event="last" id="i"/>
            <send event="first" target="#_internal"/><raise event="second"/></onentry>
            <transition event="*"><log label="" expr="[_event.name, _event.type,
            _event.sendid, _event.origin, _event.origintype]"/></transition></state>""")
        processor = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"
        self.assertEqual(self.heard(), [
            ("", ["first", "internal", None, None, None]),
            ("", ["second", "internal", None, None, None]),
            ("", ["last", "external", "i", "#_scxml_one", processor])])

    def test_delays(self):
        one = self.start(DATA + """<state id="s"><onentry>
            <send event="a" delay="1.5s"/><send event="b" delayexpr="'250ms'"/>
            <send event="c" delayexpr="text + 's'"/><send event="d" delayexpr="any + '0ms'"/>
            <send event="e" delayexpr="n * 100"/><send event="f" delay="0"/>
            <send event="g" delay="2m"/></onentry></state>""")
        self.assertEqual([(timer["event"], timer["due"]) for timer in one.timers],
                         [("a", 1500), ("b", 250), ("c", 5000), ("d", 50), ("e", 300),
                          ("g", 120000)])
        for delay in ('delay="soon"', 'delay="-1s"', 'delayexpr="\'5\'"', 'delayexpr="s"',
                      'delayexpr="-1"', 'delayexpr="text + \'h\'"'):
            with self.subTest(delay):
                self.assertEqual(self.state(DATA + f"""<state id="s"><onentry>
                    <send event="a" {delay}/></onentry>
                    <transition event="error.execution" target="pass"/></state>"""), ["pass"])

    def test_data_of_events(self):
        for inner, value in (
                ('event="e" namelist="n s"/>', {"n": 3, "s": "abc"}),
                ('event="e" namelist="n"><param name="x" expr="n + 1"/></send>',
                 {"n": 3, "x": 4}),
                ('event="e"><content expr="list"/></send>', [1, 2, 3]),
                ('event="e"><content>[1, {"+": 2}]</content></send>', [1, {"+": 2}]),
                ('eventexpr="\'e\'"/>', None)):
            with self.subTest(inner):
                self.start(DATA + f"""<state id="s"><onentry><send {inner}</onentry>
                    <transition event="e"><log expr="_event.data"/></transition></state>""")
                self.assertEqual(self.heard(), [value])

    def test_cancel(self):
        one = self.start(DATA + """<state id="s"><onentry><send event="a" id="x" delay="1s"/>
            <send event="b" idlocation="r" delay="1s"/>
            <send event="c" idlocation="s" delay="1s"/>
            <cancel sendid="x"/><cancel sendidexpr="r"/></onentry></state>""")
        self.assertEqual([timer["event"] for timer in one.timers], ["c"])
        self.assertNotEqual(one.context["r"], one.context["s"])

    def test_targets_and_types(self):
        for attributes, event in (
                ('target="elsewhere"', "error.execution"), ('type="27"', "error.execution"),
                ('target="#_scxml_two"', "error.communication"),
                ('target="#_parent"', "error.communication"),
                ('target="#_scxml_one"', "e"), ('type="scxml"', "e"),
                ('targetexpr="_ioprocessors[\'scxml\'].location"', "e"),
                ('targetexpr="\'#_\' + \'internal\'"', "e"),
                ('targetexpr="\'#_\' + s"', "error.communication"),
                ('targetexpr="s"', "error.execution"), ('typeexpr="s"', "error.execution"),
                ('typeexpr="\'sc\' + \'xml\'"', "e"), ('eventexpr="n"', "error.execution")):
            with self.subTest(attributes):
                event_attribute = "" if "eventexpr" in attributes else 'event="e" '
                self.start(DATA + f"""<state id="s"><onentry>
                    <send id="i" {event_attribute}{attributes}/></onentry>
                    <transition event="*"><log expr="_event.name"/></transition></state>""")
                self.assertEqual(self.heard(), [event])


# A chart, and the line, the element and a part of what is said.
ERRORS = [
    ("<state id='a'/>\n<state id='a'/>", 3, "state", "a is taken (line 2)"),
    ("<state id='a'>\n<transition event='e' target='b'/></state>", 3, "transition", "no state b"),
    ("<state id='a' initial='pass'><state/></state>", 2, "state", "does not lie inside"),
    ("<state><invoke type='scxml'/></state>", 2, "invoke", "expected src or <content>"),
    ("<state>\n<onentry>\n<send event='e' type='basichttp'/></onentry></state>", 4, "send",
     "HTTP"),
    ("<state><onentry><foo/></onentry></state>", 2, "foo", "not expected in <onentry>"),
    ("<state x='1'/>", 2, "state", "attribute x"), ("<state>text</state>", 2, "state", "text"),
    ("<state><x:y xmlns:x='urn:x'/></state>", 2, "y", "not expected"),
    ("<datamodel><data id='a'><b/></data></datamodel>", 2, "b", "XML as data"),
    ("<datamodel><data id='a b'/></datamodel>", 2, "data", "name a variable"),
    ("<datamodel><data id='_a'/></datamodel>", 2, "data", "name a variable"),
    ("<datamodel><data id='a'/><data id='a'/></datamodel>", 2, "data", "twice"),
    ("<datamodel><data id='a' expr='1'>2</data></datamodel>", 2, "data", "either"),
    ("<datamodel><data id='a'>9007199254740993</data></datamodel>", 2, "data", "2^53"),
    ("<state><transition/></state>", 2, "transition", "expected an event"),
    ("<state><transition event='e' type='x'/></state>", 2, None, None),
    ("<state><onentry><raise/></onentry></state>", 2, "raise", "an event"),
    ("<state><onentry><send/></onentry></state>", 2, "send", "an event"),
    ("<state><onentry><send event='e' eventexpr='1'/></onentry></state>", 2, "send", "either"),
    ("<state><onentry><send event='e' target='#_internal' delay='1s'/></onentry></state>", 2,
     "send", "delayed"),
    ("<state><onentry><cancel/></onentry></state>", 2, "cancel", "sendid"),
    ("<state><onentry><if><log/></if></onentry></state>", 2, "if", "cond"),
    ("<state><onentry><foreach item='x'/></onentry></state>", 2, "foreach", "array"),
    ("<state><onentry><if cond='1'><else/><else/></if></onentry></state>", 2, "else", "follow"),
    ("<state><onentry><send event='e'><param name='a' expr='1'/>\n<param name='a' expr='2'/>"
     "</send></onentry></state>", 3, "param", "second time"),
    ("<state><state id='x'/><history id='h'><transition target='pass'/></history></state>", 2,
     "transition", "inside"),
    ("<state><initial/><state/></state>", 2, "initial", "one <transition>"),
    ("<state><initial><transition target='x' cond='1'/></initial><state id='x'/></state>", 2,
     "transition", "neither"),
    ("<history type='x'/>", 2, "history", "not expected in <scxml>"),
    ("<state><history type='x'/></state>", 2, "history", "shallow or deep"),
    ("<state><state/><history id='g'/><history><transition target='g'/></history></state>", 2,
     "history", "no history"),
    ("<state><history/></state>", 2, "state", "can be entered"),
    ("<state><transition event='a.*.b'/></state>", 2, "transition", "at the end"),
    ("<state>", 3, None, "not XML"),
]


class Errors(Chart):
    def test_each_names_its_place(self):
        for body, line, element, words in ERRORS:
            with self.subTest(body):
                if words is None:
                    self.imported(body)
                    continue
                with self.assertRaises(scxml.ScxmlError) as caught:
                    self.imported(body)
                error = caught.exception
                self.assertEqual((error.line, error.element), (line, element), error)
                self.assertIn(words, str(error))
                self.assertIn(f"line {line}", str(error))

    def test_the_root(self):
        data = "<scxml datamodel='null'><datamodel><data id='a'/></datamodel><state/></scxml>"
        for text, words in (("<a/>", "not an element"), ("<state/>", "expected <scxml>"),
                            ("", "not XML"), ("<scxml version='2'/>", "version"),
                            ("<scxml datamodel='xpath'/>", "datamodel"), (data, "no data"),
                            ("<scxml/>", "expected a state")):
            with self.subTest(text), self.assertRaisesRegex(scxml.ScxmlError, words):
                scxml.convert(text)

    def test_hostile_xml(self):
        bomb = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><scxml>&b;</scxml>'
        deep = "[" * 500 + "]" * 500
        data = f"<scxml><datamodel><data id='a'>{deep}</data></datamodel><state/></scxml>"
        for text, words in ((bomb, "entity"), (data, "too deeply"),
                            (data.replace(deep, "[" * 100_000 + "]" * 100_000), "too deeply"), ("<state>" * 300, "nested"),
                            ("<scxml>" + "<if>" * 5000, "nested")):
            with self.subTest(words), self.assertRaisesRegex(scxml.ScxmlError, words):
                scxml.convert(text)

    def test_foreign_elements_can_be_left_out(self):
        body = "<state id='a'><x:y xmlns:x='urn:x'><z/>text</x:y><transition target='pass'/></state>"
        self.assertEqual(self.state(body, ignore_foreign=True), ["pass"])


class Command(Chart):
    def run_command(self, *words, input=""):
        return subprocess.run([sys.executable, "-m", "wfsm.scxml", *map(str, words)],
                              input=input, capture_output=True, text=True, encoding="utf-8")

    def test_it_prints_a_document_that_loads(self):
        path = self.folder() / "door.scxml"
        path.write_text(chart("<state id='é'/>").replace(' name="chart"', ""), encoding="utf-8")
        done = self.run_command(path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout), scxml.load(path))
        self.assertEqual(wfsm.Machine.load(done.stdout).id, "door")
        self.assertEqual(json.loads(self.run_command(path, "--id", "gate").stdout)["id"], "gate")

    def test_what_it_says_of_bad_charts(self):
        done = self.run_command("-", input=chart("<state><invoke/></state>"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^-: line 2, <invoke>: expected src or <content>\n$")
        done = self.run_command("/nowhere.scxml")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere.scxml", done.stderr)

    def test_what_it_warns_of(self):
        text = chart("<state><transition cond='return' target='pass'/></state>")
        done = self.run_command("-", input=text)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "line 2, <transition>: cond=\"return\": unexpected return")
        done = self.run_command("-", "--strict", input=text)
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_nothing_of_a_chart_acts_on_a_terminal(self):
        c1 = "".join(map(chr, [*range(0x7F, 0x85), *range(0x86, 0xA0)]))
        bidi = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        evil = c1 + bidi + "\u2029"
        path = self.folder() / f"x{evil}\x1b[31m\nFORGED.scxml"
        shown = ""
        for text in (chart(f"<state id='a'><transition event='e' cond='x+{evil}' target='pass'/></state>"),
                     chart(f"<state id='a{evil}'><transition target='b{evil}'/></state>"),
                     chart(f"<state id='a'><onentry><log label='{evil}' expr='\"{evil}\"'/></onentry></state>"),
                     chart(f"<state id='a'><y{evil}/></state>"), chart(f"<x:{evil}"), evil):
            path.write_text(text, encoding="utf-8")
            for words in ([path], [path, "--strict"], [path, "--id", f"i{evil}"], [path, f"--{evil}"],
                          [f"/nowhere/{evil}\x1b\nFORGED"]):
                done = self.run_command(*words)
                shown += done.stdout + done.stderr
        self.assertEqual({ascii(c) for c in shown if c in evil + "\x1b\x85\u2028"}, set())
        self.assertNotIn("\nFORGED", shown)
        self.assertIn("\\u202e", shown)

    def test_the_command_line(self):
        self.assertEqual(self.run_command("--help").returncode, 0)
        self.assertIn("Exit codes", self.run_command("--help").stdout)
        for words in ([], ["a", "b"], ["--nonsense", "a"]):
            self.assertEqual(self.run_command(*words).returncode, 64)

    def test_what_the_library_refuses_is_said(self):
        deep = "".join(f"<state id='s{n}'>" for n in range(150)) + "</state>" * 150
        done = self.run_command("-", input=chart(deep))
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr[:200])
        self.assertNotIn("Traceback", done.stderr)

    def test_the_layout_says_the_same(self):
        value = scxml.convert(chart(DATA + "<state id='s'/>"))
        self.assertEqual(json.loads(layout.text(value)), value)
        self.assertLessEqual(max(map(len, layout.text(value).splitlines())), layout.WIDTH)


if __name__ == "__main__":
    unittest.main()
