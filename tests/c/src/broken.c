/*
 * Plugins that are refused. Without NEEDS: a table that lacks what a controller can't do without, of which the plugin
 * itself says nothing. With it: one that calls a function which nobody has.
 */
#include <quiche_cc.h>

static void *create(void *ctx, const quiche_cc_start *start) {
    (void)start;
    return ctx;
}

static void on_feedback(void *controller, const quiche_cc_feedback *feedback) {
    (void)controller;
    (void)feedback;
}

#ifdef NEEDS
void function_of_nobody(quiche_cc_decision *decision);

static void decide(const void *controller, quiche_cc_decision *decision) {
    (void)controller;
    function_of_nobody(decision);
}
#define DECIDE decide
#else
#define DECIDE 0
#endif

int quiche_cc_plugin(quiche_cc_register_fn *add) {
    static const quiche_cc_ops ops = {.version = QUICHE_CC_OPS_VERSION,
                                      .size = sizeof(quiche_cc_ops),
                                      .create = create,
                                      .on_feedback = on_feedback,
                                      .decide = DECIDE};
    add("broken", &ops, 0);
    return QUICHE_CC_OK;
}
