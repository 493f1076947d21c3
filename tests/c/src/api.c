/* What quiche_cc.h promises, from C. Arguments: a plugin that is fine, and one whose table is broken. */
#include <quiche.h>
#include <quiche_cc.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            failures++;                                                             \
        }                                                                           \
    } while (0)

/* Every name that the library lists can be selected. */
static void every_listed_controller_can_be_selected(void) {
    char *list = quiche_cc_list();
    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    int lines = 0;
    for (char *line = strtok(list, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
        char *end = strchr(line, ' ');
        CHECK(end != NULL && end[1] != '\0');
        if (end != NULL) *end = '\0';
        printf("%s\n", line);
        CHECK(quiche_cc_check(line) == QUICHE_CC_OK);
        CHECK(quiche_config_set_cc_algorithm_name(config, line) == 0);
    }
    CHECK(lines >= 7);
    quiche_config_free(config);
    quiche_cc_string_free(list);
    quiche_cc_string_free(NULL);

    char *text = quiche_cc_describe();
    CHECK(strstr(text, "target_delay=auto") != NULL);
    quiche_cc_string_free(text);
}

static void a_refusal_has_a_reason(void) {
    CHECK(quiche_cc_check("hybrid:target_delay=12ms") == QUICHE_CC_OK);
    CHECK(quiche_cc_check("hybrid:target_delay=12") == QUICHE_CC_REFUSED);
    CHECK(strstr(quiche_cc_last_error(), "with its unit") != NULL);
    CHECK(quiche_cc_check("hybird") == QUICHE_CC_REFUSED);
    CHECK(strstr(quiche_cc_last_error(), "available are hybrid, ") != NULL);
    CHECK(quiche_cc_check(NULL) == QUICHE_CC_REFUSED);
    CHECK(quiche_cc_check("\xff") == QUICHE_CC_REFUSED);
}

/* QUICHE_CC is not set here. */
static void nothing_is_forced(void) { CHECK(quiche_cc_forced() == NULL); }

static void *create(void *ctx, const quiche_cc_start *start) {
    (void)start;
    return ctx;
}

static void on_feedback(void *controller, const quiche_cc_feedback *feedback) {
    (void)controller;
    (void)feedback;
}

static void decide(const void *controller, quiche_cc_decision *decision) {
    (void)controller;
    decision->window_bytes = 0;
}

static void a_controller_can_be_brought_along(void) {
    static int path;
    quiche_cc_ops ops = {.version = QUICHE_CC_OPS_VERSION,
                         .size = sizeof ops,
                         .create = create,
                         .on_feedback = on_feedback,
                         .decide = decide};
    CHECK(quiche_cc_register("mine", &ops, &path) == QUICHE_CC_OK);
    CHECK(quiche_cc_register("mine", &ops, &path) == QUICHE_CC_REFUSED);
    CHECK(strstr(quiche_cc_last_error(), "already") != NULL);
    CHECK(quiche_cc_register("cubic", &ops, &path) == QUICHE_CC_REFUSED);
    CHECK(quiche_cc_register(NULL, &ops, &path) == QUICHE_CC_REFUSED);
    CHECK(quiche_cc_register("none", NULL, &path) == QUICHE_CC_REFUSED);
    ops.version = 99;
    CHECK(quiche_cc_register("newer", &ops, &path) == QUICHE_CC_REFUSED);
    CHECK(strstr(quiche_cc_last_error(), "version 99") != NULL);

    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    CHECK(quiche_config_set_cc_algorithm_name(config, "mine") == 0);
    CHECK(quiche_config_set_cc_algorithm_name(config, "mine:x") == QUICHE_ERR_CONGESTION_CONTROL);
    CHECK(quiche_config_set_cc_algorithm_name(config, "newer") == QUICHE_ERR_CONGESTION_CONTROL);
    quiche_config_free(config);
}

static void plugins_are_loaded(const char *fine, const char *broken) {
    CHECK(quiche_cc_load(fine) == QUICHE_CC_OK);
    CHECK(quiche_cc_check("aimd:beta=0.7") == QUICHE_CC_OK);
    CHECK(quiche_cc_check("aimd:beta=7") == QUICHE_CC_REFUSED);
    CHECK(strstr(quiche_cc_last_error(), "between 0 and 1") != NULL);
    CHECK(quiche_cc_load(fine) == QUICHE_CC_REFUSED);
    CHECK(quiche_cc_load(broken) == QUICHE_CC_REFUSED);
    CHECK(strstr(quiche_cc_last_error(), "decide is NULL") != NULL);
    CHECK(quiche_cc_load("no such file") == QUICHE_CC_REFUSED);
    CHECK(quiche_cc_load(NULL) == QUICHE_CC_REFUSED);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    CHECK(strcmp(quiche_cc_last_error(), "") == 0);
    every_listed_controller_can_be_selected();
    a_refusal_has_a_reason();
    nothing_is_forced();
    a_controller_can_be_brought_along();
    plugins_are_loaded(argv[1], argv[2]);
    return failures != 0;
}
