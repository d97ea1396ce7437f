/* Who decides by a command. */
#ifndef HOST_PERSON_H
#define HOST_PERSON_H

/* The login of this process, for records: $USER, else that of its user id. NULL: unknown, or no text of 1 to
 * 255 bytes. Valid until the next call. */
const char *host_person(void);
/* 1: an agent of a workflow has started this process, so what it says is no person's word. */
int host_person_is_agent(void);
/* Asks the person at the terminal. 1: the answer is yes, or there is no terminal. 0: the answer is another one, and
 * an error is printed. */
int host_person_agrees(const char *question);

#endif
