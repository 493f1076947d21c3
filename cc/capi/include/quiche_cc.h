/*
 * quiche_cc: congestion controllers for quiche, from C.
 *
 * A program needs none of this to use them: quiche_config_set_cc_algorithm_name(config, "hybrid:target_delay=12ms")
 * selects a controller with its options. Here is what the program may want besides: to list the controllers, to
 * learn why an option string was refused, to watch a connection's controller, and to bring one of its own.
 *
 * ECN and receive timestamps are in quiche.h: quiche_conn_recv_with_meta(), quiche_conn_send_with_meta(),
 * quiche_conn_send_on_path_with_meta(), quiche_config_set_max_receive_timestamps_per_ack(),
 * quiche_config_set_receive_timestamps_exponent().
 *
 * Every function may be called from any thread, those that take a connection only by the thread that uses it. Times are in nanoseconds, sizes in bytes, rates in bits per second.
 */
#ifndef QUICHE_CC_H
#define QUICHE_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions that return int answer. */
enum quiche_cc_result {
    QUICHE_CC_OK = 0,
    /* The arguments are wrong; quiche_cc_last_error() says what, and what is allowed. */
    QUICHE_CC_REFUSED = -1,
    /* There is nothing to tell. */
    QUICHE_CC_NONE = -2,
    /* A defect of the library. */
    QUICHE_CC_BUG = -3,
};

/* For times that are not known. */
#define QUICHE_CC_UNKNOWN UINT64_MAX

/* ---- Selecting ---------------------------------------------------------------------------------------------- */

/*
 * Every controller that can be selected, a line each: its name, a space, and what it does. Ends with the controllers of
 * quiche itself, which take no options. To be given back with quiche_cc_string_free().
 */
char *quiche_cc_list(void);

/* The same with profiles, parameters and their ranges, for users to read. */
char *quiche_cc_describe(void);

void quiche_cc_string_free(char *string);

/*
 * Whether `name` or `name:options` can be selected. QUICHE_CC_REFUSED if not; quiche_config_set_cc_algorithm_name()
 * would answer QUICHE_ERR_CONGESTION_CONTROL then.
 */
int quiche_cc_check(const char *algorithm);

/*
 * What the environment variable QUICHE_CC forces on every connection of this process, whatever the program selects:
 * `name` or `name:options`. NULL if it is not set, or cannot be used. It is read once, when the first configuration is
 * made or here, and a line on standard error says what became of it. Programs that run with more rights than their
 * caller (set-user-ID, file capabilities) ignore it, without a line.
 */
const char *quiche_cc_forced(void);

/*
 * Why a function of this header, or quiche_config_set_cc_algorithm_name(), has last refused something in this thread;
 * "" if none has. Valid until one refuses again in this thread, also with QUICHE_CC_BUG, and until the thread ends.
 */
const char *quiche_cc_last_error(void);

/* ---- Watching ----------------------------------------------------------------------------------------------- */

/* Where one-way delays are taken from. */
enum quiche_cc_source {
    QUICHE_CC_SOURCE_NONE = 0,
    /* Arrival of ACKs: the delay of the way back is in them. */
    QUICHE_CC_SOURCE_ACK = 1,
    /* Receive timestamps that the peer reports. */
    QUICHE_CC_SOURCE_RECEIVE_TIMESTAMPS = 2,
};

/*
 * The congestion controller of a connection's active path, as of the last packet.
 *
 * `size` is to be set to sizeof(quiche_cc_stats) before the call. Later versions of the library add fields at the end and
 * leave those alone that a program does not know.
 */
typedef struct {
    size_t size;
    /* Static text: the state's name, e.g. "growing" (docs/qlog.md lists them). */
    const char *state;
    /* The controller's rate, in bits per second; INFINITY if it has none. */
    double rate_bps;
    /* The rate at which packets leave; INFINITY if they are not paced. */
    double pacing_bps;
    /* The congestion window. */
    uint64_t window_bytes;
    /*
     * Mean relative one-way delay of the last epoch, jitter included; NAN while unknown or if the controller does not
     * measure it.
     */
    double rowd_ms;
    /* The zone of the last epoch, 1 to 3; 0 while unknown or if the controller has none. */
    uint32_t zone;
    /* One of quiche_cc_source. */
    uint32_t source;
} quiche_cc_stats;

struct quiche_conn;

/*
 * QUICHE_CC_NONE if the active path is controlled by one of quiche's own algorithms; quiche_conn_path_stats() tells
 * about those.
 */
int quiche_cc_conn_stats(const struct quiche_conn *conn, quiche_cc_stats *stats);

/* What a flow does, as far as it matters to its source. */
enum quiche_cc_estimate_state {
    /* The controller does not tell. */
    QUICHE_CC_ESTIMATE_UNKNOWN = 0,
    /* The path has not shown yet what it carries. */
    QUICHE_CC_ESTIMATE_STARTUP = 1,
    /* It has, and the rate follows it. */
    QUICHE_CC_ESTIMATE_STEADY = 2,
    /* Competing flows keep a queue; a share is held beside them. */
    QUICHE_CC_ESTIMATE_CONTENDED = 3,
    /* The path carried nothing for a while, and nothing is known of it since. */
    QUICHE_CC_ESTIMATE_INTERRUPTED = 4,
};

/*
 * What a source, such as an encoder, may count on. docs/estimate.md says what each controller knows, and how far it was off
 * where it was measured.
 *
 * Rates are in bits per second of whole QUIC packets, above 0 and never INFINITY: headers, acknowledgements and repairs have
 * to fit in as well. NAN is what nobody knows. Where they are known, least_bps <= target_bps <= most_bps.
 *
 * `size` is to be set to sizeof(quiche_cc_estimate) before the call; see quiche_cc_stats.
 */
typedef struct {
    size_t size;
    /* What the source may send now without a queue of its own. */
    double target_bps;
    /* What has arrived recently, at most the target. */
    double least_bps;
    /* What the path does not carry more than, as far as evidence goes. */
    double most_bps;
    /* Time that a packet waits in the queue of the slowest link, 0 or more. */
    double queueing_delay_ms;
    /* How long ago it ended that the rate was really tried; QUICHE_CC_UNKNOWN if it never was, or nobody knows. */
    uint64_t evidence_age_ns;
    /* One of quiche_cc_estimate_state. */
    uint32_t state;
} quiche_cc_estimate;

/*
 * The estimate of a connection's active path, with any controller, quiche's own as well. It reads what
 * the controller has anyway, so it may be asked for before every frame; between two ACKs only evidence_age_ns changes.
 */
int quiche_cc_conn_estimate(const struct quiche_conn *conn, quiche_cc_estimate *estimate);

/* ---- A controller of your own ------------------------------------------------------------------------------- */

/* The version of what follows. A table that asks for another is refused. */
#define QUICHE_CC_OPS_VERSION 1

/* What the controller of a new path starts from. */
typedef struct {
    /* What stands behind the colon of `name:options`, "" if nothing does. Valid during the call. */
    const char *options;
    uint64_t initial_window_packets;
    uint64_t max_datagram_bytes;
    /* The RTT to assume before there is a sample. */
    uint64_t initial_rtt_ns;
} quiche_cc_start;

/* A packet that was newly acknowledged. */
typedef struct {
    uint64_t sent_ns;
    /* 0 if the packet was not ack-eliciting. */
    uint64_t bytes;
    /* When the peer received it, on the peer's clock; QUICHE_CC_UNKNOWN if the peer did not say. */
    uint64_t received_ns;
} quiche_cc_acked;

/* A packet that was declared lost. */
typedef struct {
    uint64_t sent_ns;
    uint64_t bytes;
} quiche_cc_lost;

/* Packet number spaces (RFC 9000, section 12.3). */
enum quiche_cc_space {
    QUICHE_CC_SPACE_INITIAL = 0,
    QUICHE_CC_SPACE_HANDSHAKE = 1,
    QUICHE_CC_SPACE_APPLICATION = 2,
};

/* An ACK, or a loss detection without one. Valid during the call, with all that it points to. */
typedef struct {
    /* Time since an origin that is fixed for the path. */
    uint64_t now_ns;
    /* In the order of packet numbers. */
    const quiche_cc_acked *acked;
    size_t acked_count;
    const quiche_cc_lost *lost;
    size_t lost_count;
    uint64_t ack_delay_ns;
    /* The most that the peer may delay an ACK; 0 while unknown. */
    uint64_t max_ack_delay_ns;
    /* QUICHE_CC_UNKNOWN before the first sample. */
    uint64_t min_rtt_ns;
    /* Increase of the peer's validated counts of ECT(0) and ECT(1), and of ECN-CE (RFC 9000, section 13.4.2.1). */
    uint64_t ecn_ect;
    uint64_t ecn_ce;
    /* One of quiche_cc_space. */
    uint32_t space;
    /* Whether the ACK gave an RTT sample (RFC 9002, section 5.1): now_ns less sent_ns of the last acknowledged. */
    bool rtt_sampled;
} quiche_cc_feedback;

/* How packets are marked (RFC 3168, RFC 9331). */
enum quiche_cc_ecn {
    QUICHE_CC_NOT_ECT = 0,
    QUICHE_CC_ECT1 = 1,
    QUICHE_CC_ECT0 = 2,
};

/*
 * What the sender may do. The window is rounded down to whole packets. Nonsense is corrected, and a warning is logged,
 * once per path: the window is held between two packets and 4 GiB, the pacing rate is at least one packet per second, and
 * numbers that are none leave the value as it was. Without a warning: beyond the most that was in flight in the last two
 * round trips, and the initial window, a window grows by what is acknowledged, and to twice of that most (RFC 9002,
 * sections 7.3.1 and 7.8). So a window that is not used does not grow, and one that was given without end doubles per
 * round trip at most.
 */
typedef struct {
    uint64_t window_bytes;
    /* 0 or INFINITY: not paced. */
    double pacing_bps;
    /* For statistics: the rate that the path is held to carry. 0: window over the smallest RTT. */
    double rate_bps;
    /* Packets that may leave together while paced, also after idle; at most 64. 0: one. */
    uint32_t burst_packets;
    /* One of quiche_cc_ecn. Only for controllers that respond to ecn_ce. */
    uint32_t ecn;
    /* The state by its place in quiche_cc_ops.states; the first one if there is none in this place. */
    uint32_t state;
} quiche_cc_decision;

/*
 * The functions of a controller. `controller` is what create() has returned. A path's functions are called one at a
 * time, by any thread; those of different paths at the same time. check() belongs to no path: it is called at any time,
 * beside everything else on the same `ctx`, and more than once for a selection. The connection waits for each of them:
 * they must return soon. They must not call quiche, throw or longjmp.
 */
typedef struct {
    /* QUICHE_CC_OPS_VERSION. */
    uint32_t version;
    /* sizeof(quiche_cc_ops). */
    uint32_t size;
    /* What it does, in one line of UTF-8, as all text here; may be NULL. Other bytes are replaced. */
    const char *summary;
    /* Names of its states, ending with NULL; may be NULL if there is one. They show up in traces. */
    const char *const *states;
    /*
     * Whether `options` are understood. If not, what is wrong is written into `reason` (ends with NUL, `reason_size` with
     * it). May be NULL if there are none: then any options are refused.
     */
    bool (*check)(void *ctx, const char *options, char *reason, size_t reason_size);
    /* A new path. NULL, as when memory is short, gives the path the initial window for good. */
    void *(*create)(void *ctx, const quiche_cc_start *start);
    /* The path is gone. May be NULL. */
    void (*destroy)(void *controller);
    /* A packet that counts as in flight has left. Of those that only acknowledge nothing is told here, and `acked` has
     * them with 0 bytes: a packet is found again by `sent_ns`, not by its place. May be NULL. */
    void (*on_sent)(void *controller, uint64_t now_ns, uint64_t bytes);
    void (*on_feedback)(void *controller, const quiche_cc_feedback *feedback);
    /* A packet was made without data although the window had room. Most of the time in which the application has nothing
     * to send nobody is told. May be NULL. */
    void (*on_app_limited)(void *controller);
    /* The maximum datagram size has changed. May be NULL. */
    void (*on_max_datagram_bytes)(void *controller, uint64_t bytes);
    /* Called after create() and after each of the three above. `decision` holds the one before, as it was given, but
     * without nonsense: the window may have grown to less. */
    void (*decide)(const void *controller, quiche_cc_decision *decision);
} quiche_cc_ops;

/*
 * Makes a controller available under `name` (a to z, 0 to 9, - and _; at most 32), in the whole process and for good. The
 * table is copied; its functions, and ctx, have to stay. QUICHE_CC_REFUSED if the name is taken, or the table is broken or
 * of another version.
 */
int quiche_cc_register(const char *name, const quiche_cc_ops *ops, void *ctx);

typedef int quiche_cc_register_fn(const char *name, const quiche_cc_ops *ops, void *ctx);

/*
 * What a shared object that brings controllers exports, for quiche_cc_load(), `cc-lab --plugin` and `cc-server --plugin`. It
 * calls `add` for each and returns QUICHE_CC_OK, or what `add` did.
 */
#define QUICHE_CC_PLUGIN_ENTRY "quiche_cc_plugin"
int quiche_cc_plugin(quiche_cc_register_fn *add);

/*
 * Loads such a shared object, for good. QUICHE_CC_REFUSED if it can't be loaded, lacks a function that it calls, or a
 * controller of it is refused; the others that it brought stay. `path` is what the system takes for a name of a file.
 */
int quiche_cc_load(const char *path);

#ifdef __cplusplus
}
#endif

#endif /* QUICHE_CC_H */
