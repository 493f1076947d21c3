/* AIMD (Chiu and Jain, 1989) on a window: a packet more per round trip, the beta-th part of it after a loss. */
#include <quiche_cc.h>
#include <stdio.h>
#include <stdlib.h>

struct aimd {
    double window, packet, beta;
    uint64_t last_sent, last_cut; /* When the newest packet left, and the newest of when the window was cut. */
};

static bool parse(const char *options, double *beta) {
    char end;
    *beta = 0.5;
    return *options == '\0' || (sscanf(options, "beta=%lf%c", beta, &end) == 1 && *beta > 0 && *beta < 1);
}

static bool check(void *ctx, const char *options, char *reason, size_t size) {
    double beta;
    (void)ctx;
    if (parse(options, &beta)) return true;
    snprintf(reason, size, "\"%s\" is not beta=, with a number between 0 and 1", options);
    return false;
}

static void *create(void *ctx, const quiche_cc_start *start) {
    struct aimd *aimd = calloc(1, sizeof *aimd);
    (void)ctx;
    if (aimd == NULL) return NULL;
    aimd->packet = (double)start->max_datagram_bytes;
    aimd->window = aimd->packet * (double)start->initial_window_packets;
    parse(start->options, &aimd->beta);
    return aimd;
}

static void on_sent(void *controller, uint64_t now_ns, uint64_t bytes) {
    if (bytes > 0) ((struct aimd *)controller)->last_sent = now_ns;
}

static void on_feedback(void *controller, const quiche_cc_feedback *feedback) {
    struct aimd *aimd = controller;
    for (size_t i = 0; i < feedback->lost_count; i++) {
        if (feedback->lost[i].sent_ns <= aimd->last_cut) continue; /* Lost along with one that was answered. */
        aimd->window *= aimd->beta;
        if (aimd->window < 2 * aimd->packet) aimd->window = 2 * aimd->packet;
        aimd->last_cut = aimd->last_sent;
    }
    for (size_t i = 0; i < feedback->acked_count; i++)
        aimd->window += aimd->packet * (double)feedback->acked[i].bytes / aimd->window;
}

static void decide(const void *controller, quiche_cc_decision *decision) {
    decision->window_bytes = (uint64_t)((const struct aimd *)controller)->window;
}

static const quiche_cc_ops ops = {
    .version = QUICHE_CC_OPS_VERSION, .size = sizeof(quiche_cc_ops), .summary = "a packet more per round trip, half after a loss",
    .check = check, .create = create, .destroy = free, .on_sent = on_sent, .on_feedback = on_feedback, .decide = decide,
};

int quiche_cc_plugin(quiche_cc_register_fn *add) { return add("aimd", &ops, NULL); }
