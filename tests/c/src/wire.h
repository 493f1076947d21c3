/* One QUIC connection on a UDP socket: the loop that client and server share. */
#ifndef WIRE_H
#define WIRE_H

#include <quiche.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { DATAGRAM = 1350, CONNECTION_ID = 16 };

typedef struct {
    int socket;
    struct sockaddr_storage local, peer;
    socklen_t local_len, peer_len;
    quiche_conn *conn; /* NULL until there is one. */

    /* A packet that waits for its time. */
    uint8_t held[DATAGRAM];
    ssize_t held_len;
    quiche_send_info held_info;

    /* Timeouts of 0 one after the other. */
    int at_once;
} wire;

/* Prints what went wrong and ends the program. */
_Noreturn void fail(const char *what);

/* The settings that client and server share; ends the program if `cc` is refused. */
quiche_config *configure(const char *cc);

/* A socket on loopback with a port of the system's choice. */
void wire_open(wire *w);

uint16_t wire_port(const wire *w);

/* Fills in a new connection ID. */
void new_connection_id(uint8_t id[CONNECTION_ID]);

/* Sends what may leave now. */
void wire_flush(wire *w);

/*
 * Waits for a datagram, a timeout or a departure, handles the last two, and gives the datagram's length, or 0.
 */
size_t wire_wait(wire *w, uint8_t *datagram, size_t size);

/* Gives a datagram from the peer to the connection. */
void wire_take(wire *w, uint8_t *datagram, size_t len);

#endif
