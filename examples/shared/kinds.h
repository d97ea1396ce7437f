/* The programs that can be a host's agents, for `init`: which one is used, and who asks. */
#ifndef HOST_KINDS_H
#define HOST_KINDS_H

/* "claude", "codex", "gemini" or "command": static; NULL for another word. */
const char *host_kind_named(const char *word);
/* The first of them that is installed; "command" if none is. */
const char *host_kind_installed(void);
/* Asks at the terminal which one `role` is to be; an empty answer is `usual`. NULL: no answer. */
const char *host_kind_ask(const char *role, const char *usual);

/* Says, where the configuration exists, that the kind which was asked for is not written into it; nothing for
 * NULL. */
void host_kind_unused(const char *kind, const char *config);

/* The line `model = …` of an agent's table for this kind, with a comment; "" where the program's own
 * choice will do. */
const char *host_kind_model(const char *kind);

#endif
