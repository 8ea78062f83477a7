#include "CBuildInformation.h"

#ifndef COUNTERFOIL_COMMIT
#define COUNTERFOIL_COMMIT ""
#endif
#ifndef COUNTERFOIL_EPOCH
#define COUNTERFOIL_EPOCH ""
#endif
#ifndef COUNTERFOIL_SWIFT
#define COUNTERFOIL_SWIFT ""
#endif

const char *build_information_commit(void) { return COUNTERFOIL_COMMIT; }
const char *build_information_epoch(void) { return COUNTERFOIL_EPOCH; }
const char *build_information_swift(void) { return COUNTERFOIL_SWIFT; }
