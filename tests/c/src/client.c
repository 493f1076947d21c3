/* client CC PORT BYTES: downloads so many bytes from the server on loopback and prints how many came, and in how long. */
#include "wire.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    bool asked, finished;
    uint64_t received;
} download;

static void ask(quiche_conn *conn, const char *bytes) {
    char request[64];
    uint64_t code;
    int len = snprintf(request, sizeof request, "GET /%s\r\n", bytes);
    if (quiche_conn_stream_send(conn, 0, (uint8_t *)request, (size_t)len, true, &code) != len) fail("request");
}

static void read_stream(quiche_conn *conn, uint64_t id, download *d) {
    static uint8_t content[65536];
    uint64_t code;
    bool fin = false;
    ssize_t len;
    while ((len = quiche_conn_stream_recv(conn, id, content, sizeof content, &fin, &code)) >= 0) {
        d->received += (uint64_t)len;
        d->finished |= fin;
        if (fin) return;
    }
}

static void step(wire *w, const char *bytes, download *d) {
    if (!d->asked && quiche_conn_is_established(w->conn)) {
        ask(w->conn, bytes);
        d->asked = true;
    }
    quiche_stream_iter *readable = quiche_conn_readable(w->conn);
    uint64_t id;
    while (quiche_stream_iter_next(readable, &id)) read_stream(w->conn, id, d);
    quiche_stream_iter_free(readable);
    if (d->finished) quiche_conn_close(w->conn, true, 0, (const uint8_t *)"done", 4);
}

static void connect_to(wire *w, uint16_t port, quiche_config *config) {
    struct sockaddr_in peer = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    uint8_t id[CONNECTION_ID];
    new_connection_id(id);
    w->conn = quiche_connect("localhost", id, sizeof id, (struct sockaddr *)&w->local, w->local_len,
                             (struct sockaddr *)&peer, sizeof peer, config);
    if (w->conn == NULL) fail("quiche_connect");
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    static uint8_t datagram[65536];
    if (argc != 4) fail("usage: client CC PORT BYTES");
    quiche_config *config = configure(argv[1]);
    wire w;
    wire_open(&w);
    double begin = seconds();
    connect_to(&w, (uint16_t)atoi(argv[2]), config);
    download d = {0};
    wire_flush(&w);
    while (!quiche_conn_is_closed(w.conn)) {
        size_t len = wire_wait(&w, datagram, sizeof datagram);
        if (len > 0) wire_take(&w, datagram, len);
        step(&w, argv[3], &d);
        wire_flush(&w);
    }
    printf("%llu bytes in %.3f s\n", (unsigned long long)d.received, seconds() - begin);
    quiche_conn_free(w.conn);
    quiche_config_free(config);
    close(w.socket);
    return d.finished ? EXIT_SUCCESS : EXIT_FAILURE;
}
