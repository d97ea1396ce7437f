/* What a host finds where it was installed: PREFIX/share/wfsm/HOST, beside PREFIX/bin. */
#ifndef HOST_DATA_H
#define HOST_DATA_H

/* The path of a file or folder of a host's installed data; "" for the folder itself. malloc'ed;
 * NULL when it is not there, or when out of memory. */
char *host_data_path(const char *host, const char *name);

#endif
