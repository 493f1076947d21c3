/* by-number: selects a controller by its number, as programs do that know only those of quiche; prints what is forced. */
#include <quiche_cc.h>
#include <quiche.h>
#include <stdio.h>

int main(void) {
    quiche_config *config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    quiche_config_set_cc_algorithm(config, QUICHE_CC_CUBIC);
    const char *forced = quiche_cc_forced();
    puts(forced != NULL ? forced : "nothing is forced");
    quiche_config_free(config);
    return 0;
}
