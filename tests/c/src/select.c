/* select CC...: prints what quiche_config_set_cc_algorithm_name() answers to each. Knows nothing but quiche. */
#include <quiche.h>
#include <stdio.h>

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
        printf("%s %d\n", argv[i], quiche_config_set_cc_algorithm_name(config, argv[i]));
        quiche_config_free(config);
    }
    return 0;
}
