#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// What only the build of a package knows: the commit in hexadecimal, its time in seconds since 1970, and the version
/// of the Swift compiler, with `:` between them. Other builds leave it empty.
const char *build_information(void);

#ifdef __cplusplus
}
#endif
