/* verify/decision_shape.h: what the members of a person's decision are (lib/step/votes.c), as JSON Schemas. */
#ifndef WF_VERIFY_DECISION_SHAPE_H
#define WF_VERIFY_DECISION_SHAPE_H

#define WF_REASON_SHAPE "{\"type\":[\"string\",\"null\"]}"
#define WF_DIGEST_SHAPE "{\"type\":\"string\",\"minLength\":64,\"maxLength\":64}"
#define WF_VOTES_SHAPE                                                                         \
    "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"by\",\"decision\","    \
    "\"at\"],\"properties\":{\"by\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":255},"  \
    "\"decision\":{\"enum\":[\"approve\",\"reject\"]},\"at\":{\"type\":\"integer\","           \
    "\"minimum\":0},\"reason\":{\"type\":\"string\"}}}}"
#define WF_DECISION_SHAPE(approved)                                                            \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"approved\","          \
    "\"reason\",\"digest\",\"votes\"],\"properties\":{\"approved\":{\"const\":" approved       \
    "},\"reason\":" WF_REASON_SHAPE ",\"digest\":" WF_DIGEST_SHAPE                             \
    ",\"votes\":" WF_VOTES_SHAPE "}}"
#endif
