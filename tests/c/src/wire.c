#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;

_Noreturn void fail(const char *what) {
    fprintf(stderr, "%s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(EXIT_FAILURE);
}

quiche_config *configure(const char *cc) {
    static const char alpn[] = "\x0ahq-interop";
    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    if (config == NULL) fail("no configuration");
    quiche_config_set_application_protos(config, (const uint8_t *)alpn, sizeof alpn - 1);
    quiche_config_set_max_idle_timeout(config, 20000);
    quiche_config_set_max_recv_udp_payload_size(config, DATAGRAM);
    quiche_config_set_max_send_udp_payload_size(config, DATAGRAM);
    quiche_config_set_initial_max_data(config, 10000000);
    quiche_config_set_initial_max_stream_data_bidi_local(config, 1000000);
    quiche_config_set_initial_max_stream_data_bidi_remote(config, 1000000);
    quiche_config_set_initial_max_streams_bidi(config, 100);
    quiche_config_set_disable_active_migration(config, true);
    int refused = quiche_config_set_cc_algorithm_name(config, cc);
    if (refused != 0) {
        fprintf(stderr, "%s: refused with %d\n", cc, refused);
        exit(EXIT_FAILURE);
    }
    return config;
}

void wire_open(wire *w) {
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    memset(w, 0, sizeof *w);
    w->socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (w->socket < 0 || bind(w->socket, (struct sockaddr *)&any, sizeof any) != 0) fail("socket");
    w->local_len = sizeof w->local;
    if (getsockname(w->socket, (struct sockaddr *)&w->local, &w->local_len) != 0) fail("getsockname");
}

uint16_t wire_port(const wire *w) {
    struct sockaddr_in local;
    memcpy(&local, &w->local, sizeof local);
    return ntohs(local.sin_port);
}

void new_connection_id(uint8_t id[CONNECTION_ID]) {
    if (getrandom(id, CONNECTION_ID, 0) != CONNECTION_ID) fail("getrandom");
}

/* How long until quiche wants the held packet to leave, in nanoseconds. */
static int64_t until_departure(const wire *w) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const struct timespec *at = &w->held_info.at;
    return (int64_t)(at->tv_sec - now.tv_sec) * SECOND + (at->tv_nsec - now.tv_nsec);
}

void wire_flush(wire *w) {
    while (w->conn != NULL) {
        if (w->held_len == 0) {
            w->held_len = quiche_conn_send(w->conn, w->held, sizeof w->held, &w->held_info);
            if (w->held_len == QUICHE_ERR_DONE) w->held_len = 0;
            if (w->held_len < 0) fail("quiche_conn_send");
            if (w->held_len == 0) return;
        }
#ifndef EAGER
        if (until_departure(w) > 0) return;
#endif
        ssize_t sent = sendto(w->socket, w->held, (size_t)w->held_len, 0, (struct sockaddr *)&w->held_info.to,
                              w->held_info.to_len);
        if (sent < 0 && errno == EAGAIN) return;
        /* A peer that is gone is for the idle timeout to find. */
        if (sent < 0 && errno != ECONNREFUSED) fail("sendto");
        w->held_len = 0;
    }
}

/* In nanoseconds. Programs that send at once mostly ask for milliseconds. */
static uint64_t timeout_of(const wire *w) {
    if (w->conn == NULL) return UINT64_MAX;
#ifdef EAGER
    uint64_t millis = quiche_conn_timeout_as_millis(w->conn);
    return millis > UINT64_MAX / 1000000 ? UINT64_MAX : millis * 1000000;
#else
    return quiche_conn_timeout_as_nanos(w->conn);
#endif
}

size_t wire_wait(wire *w, uint8_t *datagram, size_t size) {
    uint64_t timeout = timeout_of(w);
    w->at_once = timeout == 0 ? w->at_once + 1 : 0;
    if (w->at_once > 100) fail("a timeout of 0 again and again");
    int64_t wait = timeout > (uint64_t)(30 * SECOND) ? 30 * SECOND : (int64_t)timeout;
    int64_t departure = w->held_len > 0 ? until_departure(w) : wait;
    int64_t shortest = departure < wait ? departure : wait;
    if (shortest < 0) shortest = 0;
    struct timespec limit = {.tv_sec = shortest / SECOND, .tv_nsec = shortest % SECOND};
    struct pollfd socket = {.fd = w->socket, .events = POLLIN};
    int ready = ppoll(&socket, 1, &limit, NULL);
    if (ready < 0) fail("ppoll");
    if (ready == 0) {
        if (w->conn == NULL) fail("nobody came within 30 s");
        if (shortest == wait) quiche_conn_on_timeout(w->conn);
        return 0;
    }
    w->peer_len = sizeof w->peer;
    ssize_t len = recvfrom(w->socket, datagram, size, 0, (struct sockaddr *)&w->peer, &w->peer_len);
    if (len < 0 && errno != EAGAIN && errno != ECONNREFUSED) fail("recvfrom");
    return len < 0 ? 0 : (size_t)len;
}

void wire_take(wire *w, uint8_t *datagram, size_t len) {
    quiche_recv_info info = {
        .from = (struct sockaddr *)&w->peer,
        .from_len = w->peer_len,
        .to = (struct sockaddr *)&w->local,
        .to_len = w->local_len,
    };
    /* What can't be read may be from anybody: it is dropped. */
    quiche_conn_recv(w->conn, datagram, len, &info);
}
