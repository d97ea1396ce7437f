/* The project's own tests and its security scan: which commands they are.
 *
 * If the configuration names commands, only those are run. Otherwise, in the project's root:
 *
 *     Cargo.toml                             cargo test; cargo audit
 *     package.json with a script "test"      npm test
 *     package-lock.json, npm-shrinkwrap.json npm audit
 *     pytest.ini, conftest.py, tests/conftest.py, or a table for pytest in pyproject.toml,
 *     setup.cfg or tox.ini                   python3 -m pytest
 *     requirements.txt, pyproject.toml       pip-audit
 *     meson.build                            meson test, in build, builddir or _build if that is
 *                                            set up, else in agentd/.state/build
 *     Makefile with a target test or check   make test, make check; only if nothing above is
 *                                            found to test with
 *
 * A scan whose program is not installed, or which has nothing to scan, is skipped with a
 * reason. A scan that the configuration names must run. */
#ifndef AGENTD_CHECKS_H
#define AGENTD_CHECKS_H

#include <jansson.h>

#include "ids.h"

/* The commands, in the order in which they are run, as a new array of
 *
 *     {"kind": "test" or "scan", "argv": ["cargo", "test"], "skip": "why it is not run"}
 *
 * ("skip" only if it is skipped). wfsm_agents_add_commands() runs them. `test` and `scan` are
 * those of the configuration: lists that end with NULL, or NULL. NULL and an error. */
json_t *checks_find(const project *in, const char *const *test, const char *const *scan,
                    host_error *error);

/* True if every command that was run ended with 0. */
int checks_passed(const json_t *results);

#endif
