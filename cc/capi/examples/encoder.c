/* Which rung of a ladder of bitrates an encoder takes, by the estimate of its connection. To be asked before every frame. */
#include <math.h>
#include <quiche_cc.h>
#include <stddef.h>

struct encoder {
    int rung; /* That it is on; 0 at first. */
    int fits; /* For so many frames the next one would have fitted; 0 at first. */
};

/* In bits per second. Less than twice the one below: more than twice what arrives is never told of an untried path. */
static const double ladder[] = {150e3, 220e3, 330e3, 500e3, 750e3, 1100e3, 1700e3, 2500e3, 3700e3, 5500e3, 8000e3};
enum { RUNGS = sizeof ladder / sizeof *ladder };

/* What of the rate is for headers, acknowledgements, sound and what has to be sent again. */
static const double RESERVE = 0.15;
/* A longer queue is left to drain by a rung less. */
static const double LONG_QUEUE_MS = 30;
/* So many frames in a row have to fit the next rung before it is taken. */
enum { PATIENCE = 60 };

static int highest(double bps) {
    int rung = 0;
    while (rung + 1 < RUNGS && ladder[rung + 1] <= bps * (1 - RESERVE)) rung++;
    return rung;
}

/* The bitrate of the next frame, in bits per second. */
double encoder_bitrate(struct encoder *encoder, const struct quiche_conn *conn) {
    quiche_cc_estimate told = {.size = sizeof told};
    if (quiche_cc_conn_estimate(conn, &told) != QUICHE_CC_OK) return ladder[encoder->rung];
    /* quiche's own cubic and reno only know what arrives. */
    double rate = isnan(told.target_bps) ? told.least_bps : told.target_bps;
    int rung = 0;
    if (!isnan(rate) && told.state != QUICHE_CC_ESTIMATE_INTERRUPTED) rung = highest(rate);
    if (rung > 0 && told.queueing_delay_ms > LONG_QUEUE_MS) rung--;
    encoder->fits = rung > encoder->rung ? encoder->fits + 1 : 0;
    if (rung < encoder->rung) encoder->rung = rung; /* Down at once. */
    if (encoder->fits >= PATIENCE) {                /* Up by one rung, and not soon again. */
        encoder->rung++;
        encoder->fits = 0;
    }
    return ladder[encoder->rung];
}
