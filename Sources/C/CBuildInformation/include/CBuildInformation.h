#pragma once
// What only the build knows. scripts/package sets it; other builds leave it empty.

#ifdef __cplusplus
extern "C" {
#endif

/// The commit that was built, in hexadecimal.
const char *build_information_commit(void);
/// The time of that commit: seconds since 1970, in digits.
const char *build_information_epoch(void);
/// The version of the Swift compiler.
const char *build_information_swift(void);

#ifdef __cplusplus
}
#endif
