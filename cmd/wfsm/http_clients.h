/* http_clients.h: limits the time of each connection to a server of libmicrohttpd. The timeout of that library
 * begins again with each byte, so a client that sends one byte at a time would stay connected for ever. */
#ifndef WFSM_HTTP_CLIENTS_H
#define WFSM_HTTP_CLIENTS_H

#include <microhttpd.h>
#include <stddef.h>

typedef struct http_client http_client;

typedef struct http_clients {
    /* Beyond so many, the oldest connection that has not sent the head of a request is ended. */
    size_t most;
    http_client *first, *last;
    size_t count;
} http_clients;

/* For MHD_OPTION_NOTIFY_CONNECTION; user is the http_clients. */
void http_clients_note(void *user, struct MHD_Connection *connection, void **context,
                       enum MHD_ConnectionNotificationCode code);
/* The head of a request has arrived. */
void http_clients_head(struct MHD_Connection *connection);
/* A request was answered. */
void http_clients_end(struct MHD_Connection *connection);
/* Ends the connections that take too long. It is called from time to time. */
void http_clients_look(const http_clients *self);
#endif
