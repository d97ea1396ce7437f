/* bench/postgres_flight.h: workflows of five steps in flight, and beside them those of another program. */
#ifndef BENCH_POSTGRES_FLIGHT_H
#define BENCH_POSTGRES_FLIGHT_H

/* Runs the command three times, with the server's address and how many workflows it is to run, and as many
 * of them with an engine before each. The command prints {"workflows": N, "ns": N}. */
void pg_flight(const char *command, const char *synced);
#endif
