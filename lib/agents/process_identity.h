/* Who a process is, beyond its number.
 *
 * A process number is used again after its process has gone. Number, start time and
 * boot together are used once, so a host that was killed can leave them in a file, and
 * the next one can ask whether that very process is still at work. */
#ifndef WFA_PROCESS_IDENTITY_H
#define WFA_PROCESS_IDENTITY_H

#include <sys/types.h>

#define WFA_IDENTITY_SIZE 64

/* Writes "PID:START:BOOT" of a living process (START in clock ticks since the boot,
 * from /proc/PID/stat; BOOT the beginning of the kernel's boot id). 0, or -1 when there
 * is no such process, it is a zombie, or there is no /proc. */
int wfa_process_identity(pid_t pid, char identity[WFA_IDENTITY_SIZE]);

/* 1 when the process of that identity is there and not a zombie, 0 when it has gone,
 * -1 if `identity` is not an identity. */
int wfa_process_alive(const char *identity);

/* The process number in an identity, or -1 if `identity` is not an identity. */
pid_t wfa_identity_pid(const char *identity);

#endif
