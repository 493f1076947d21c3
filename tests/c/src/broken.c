/* A plugin whose table lacks what a controller can't do without. */
#include <quiche_cc.h>

static void *create(void *ctx, const quiche_cc_start *start) {
    (void)start;
    return ctx;
}

static void on_feedback(void *controller, const quiche_cc_feedback *feedback) {
    (void)controller;
    (void)feedback;
}

int quiche_cc_plugin(quiche_cc_register_fn *add) {
    static const quiche_cc_ops ops = {.version = QUICHE_CC_OPS_VERSION,
                                      .size = sizeof(quiche_cc_ops),
                                      .create = create,
                                      .on_feedback = on_feedback};
    return add("broken", &ops, 0);
}
