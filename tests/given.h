/*
 * The structs that the calls of an instance take, written in one line: the name or id first, the
 * other members by name. wfsm_instance_send(instance, EVENT("add", .id = "e1"), now, ...).
 */
#ifndef TESTS_GIVEN_H
#define TESTS_GIVEN_H

#include <wfsm/instance.h>

/* clang-format off */
#define GIVEN(type, ...) (&(const type){.size = sizeof(type), __VA_ARGS__})
#define START(...) GIVEN(wfsm_start_options, .id = __VA_ARGS__)
#define EVENT(...) GIVEN(wfsm_event, .name = __VA_ARGS__)
#define CHECKPOINT(...) GIVEN(wfsm_checkpoint, .id = __VA_ARGS__)
#define FROM(...) GIVEN(wfsm_restore_point, .checkpoint = __VA_ARGS__)
#define AT(...) GIVEN(wfsm_restore_point, .revision = __VA_ARGS__)
#define RESULT(...) GIVEN(wfsm_result, .invocation = __VA_ARGS__)
#define FAILURE(...) GIVEN(wfsm_failure, .invocation = __VA_ARGS__)
/* clang-format on */

#endif
