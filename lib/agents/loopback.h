/* Which addresses of services are this machine. */
#ifndef WFA_LOOPBACK_H
#define WFA_LOOPBACK_H

/* Whether the host of an http or https URL is a loopback address, however it is written (127.0.0.1,
 * 127.1, [::1], [::ffff:127.0.0.1]), or "localhost", which libcurl never asks a name server for. */
int wfa_url_is_loopback(const char *url);

#endif
