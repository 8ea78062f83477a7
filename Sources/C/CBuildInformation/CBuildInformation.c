#include "CBuildInformation.h"

#ifndef COUNTERFOIL_BUILD
#define COUNTERFOIL_BUILD ""
#endif

const char *build_information(void) { return COUNTERFOIL_BUILD; }
