/*
 * server CC CERT KEY CONNECTIONS: answers "GET /<number>\r\n" on any stream with as many bytes, to one client after
 * another, and ends after the last. Prints {"port": ...} once it is ready. With WATCH it prints a line per connection with
 * what its controller says, which needs our header.
 */
#include "wire.h"

#ifdef WATCH
#include <math.h>
#include <quiche_cc.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STREAMS = 16 };

/* What is still to be sent on a stream. */
typedef struct {
    uint64_t id, left;
    bool busy;
} response;

static response *response_on(response responses[STREAMS], uint64_t id) {
    for (size_t i = 0; i < STREAMS; i++)
        if (responses[i].busy && responses[i].id == id) return &responses[i];
    for (size_t i = 0; i < STREAMS; i++) {
        if (responses[i].busy) continue;
        responses[i] = (response){.id = id, .busy = true};
        return &responses[i];
    }
    return NULL;
}

static void read_request(quiche_conn *conn, uint64_t id, response responses[STREAMS]) {
    char request[256];
    bool fin = false;
    uint64_t code;
    ssize_t len = quiche_conn_stream_recv(conn, id, (uint8_t *)request, sizeof request - 1, &fin, &code);
    if (len <= 0) return;
    request[len] = '\0';
    unsigned long long bytes;
    response *found = response_on(responses, id);
    if (found == NULL || sscanf(request, "GET /%llu", &bytes) != 1) fail("not a request");
    found->left = bytes;
}

static void read_requests(quiche_conn *conn, response responses[STREAMS]) {
    quiche_stream_iter *readable = quiche_conn_readable(conn);
    uint64_t id;
    while (quiche_stream_iter_next(readable, &id)) read_request(conn, id, responses);
    quiche_stream_iter_free(readable);
}

static void send_response(quiche_conn *conn, response *r) {
    static const uint8_t content[16384];
    uint64_t code;
    while (r->busy) {
        bool last = r->left <= sizeof content;
        ssize_t sent = quiche_conn_stream_send(conn, r->id, content, last ? r->left : sizeof content, last, &code);
        if (sent == QUICHE_ERR_DONE) return;
        if (sent < 0) {
            r->busy = false; /* The client does not want it any more. */
            return;
        }
        r->left -= (uint64_t)sent;
        r->busy = r->left > 0;
    }
}

static quiche_conn *accept_client(wire *w, quiche_config *config, const uint8_t *datagram, size_t len) {
    uint8_t type, scid[QUICHE_MAX_CONN_ID_LEN], dcid[QUICHE_MAX_CONN_ID_LEN], token[256], id[CONNECTION_ID];
    size_t scid_len = sizeof scid, dcid_len = sizeof dcid, token_len = sizeof token;
    uint32_t version;
    int bad = quiche_header_info(datagram, len, CONNECTION_ID, &version, &type, scid, &scid_len, dcid, &dcid_len, token,
                                 &token_len);
    /* Stragglers of the client before have a short header, whose version is 0. */
    if (bad || !quiche_version_is_supported(version)) return NULL;
    new_connection_id(id);
    return quiche_accept(id, sizeof id, NULL, 0, (struct sockaddr *)&w->local, w->local_len,
                         (struct sockaddr *)&w->peer, w->peer_len, config);
}

#ifdef WATCH
/* cc/capi/examples/encoder.c */
struct encoder {
    int rung, fits;
};
double encoder_bitrate(struct encoder *encoder, const quiche_conn *conn);
static struct encoder encoder;

static void print_rate(const char *name, double value) {
    if (isnan(value)) printf("\"%s\": null, ", name);
    else printf("\"%s\": %f, ", name, value);
}

static void watch_estimate(const quiche_conn *conn) {
    quiche_cc_estimate told = {.size = sizeof told};
    if (quiche_cc_conn_estimate(conn, &told) != QUICHE_CC_OK) fail("no estimate");
    printf("{\"estimate\": {");
    print_rate("target_bps", told.target_bps);
    print_rate("least_bps", told.least_bps);
    print_rate("most_bps", told.most_bps);
    print_rate("queueing_delay_ms", told.queueing_delay_ms);
    print_rate("bitrate", encoder_bitrate(&encoder, conn));
    printf("\"state\": %u, \"evidence_age_ns\": %llu}}\n", told.state, (unsigned long long)told.evidence_age_ns);
    told.size = 8;
    if (quiche_cc_conn_estimate(conn, &told) != QUICHE_CC_REFUSED) fail("an estimate of 8 bytes");
}
#endif

static void watch(const quiche_conn *conn) {
#ifdef WATCH
    quiche_cc_stats stats = {.size = sizeof stats};
    char rowd[32] = "null";
    int answer = quiche_cc_conn_stats(conn, &stats);
    if (!isnan(stats.rowd_ms)) snprintf(rowd, sizeof rowd, "%f", stats.rowd_ms);
    if (answer == QUICHE_CC_NONE) printf("{\"stats\": null}\n");
    if (answer == QUICHE_CC_OK)
        printf("{\"stats\": {\"state\": \"%s\", \"rate_bps\": %f, \"pacing_bps\": %f, \"window_bytes\": %llu, "
               "\"rowd_ms\": %s, \"zone\": %u, \"source\": %u}}\n",
               stats.state, stats.rate_bps, stats.pacing_bps, (unsigned long long)stats.window_bytes, rowd, stats.zone,
               stats.source);
    stats.size = 8;
    if (quiche_cc_conn_stats(conn, &stats) != QUICHE_CC_REFUSED) fail("statistics of 8 bytes");
    watch_estimate(conn);
    fflush(stdout);
#else
    (void)conn;
#endif
}

static void serve_one(wire *w, quiche_config *config) {
    static uint8_t datagram[65536];
    response responses[STREAMS] = {0};
    w->held_len = 0;
    do {
        size_t len = wire_wait(w, datagram, sizeof datagram);
        if (len > 0 && w->conn == NULL) w->conn = accept_client(w, config, datagram, len);
        if (w->conn == NULL) continue;
        if (len > 0) wire_take(w, datagram, len);
        read_requests(w->conn, responses);
        for (size_t i = 0; i < STREAMS; i++)
            if (responses[i].busy) send_response(w->conn, &responses[i]);
        wire_flush(w);
    } while (w->conn == NULL || !quiche_conn_is_closed(w->conn));
    watch(w->conn);
    quiche_conn_free(w->conn);
    w->conn = NULL;
}

int main(int argc, char **argv) {
    if (argc != 5) fail("usage: server CC CERT KEY CONNECTIONS");
    quiche_config *config = configure(argv[1]);
    if (quiche_config_load_cert_chain_from_pem_file(config, argv[2]) != 0) fail("certificate");
    if (quiche_config_load_priv_key_from_pem_file(config, argv[3]) != 0) fail("key");
    wire w;
    wire_open(&w);
    printf("{\"port\": %u}\n", wire_port(&w));
    fflush(stdout);
    for (int left = atoi(argv[4]); left > 0; left--) serve_one(&w, config);
    quiche_config_free(config);
    close(w.socket);
    return EXIT_SUCCESS;
}
