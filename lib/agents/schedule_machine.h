/* The machine of schedules. */
#ifndef WFA_SCHEDULE_MACHINE_H
#define WFA_SCHEDULE_MACHINE_H

/* Its document, which ends with a NUL. Schedules in stores have it, and a change of it makes another
 * document. */
extern const char wfa_schedule_machine[];

#endif
