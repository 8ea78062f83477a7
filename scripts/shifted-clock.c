// A wall clock that is off, for a program that the tests start: preloaded by `FakeClock` of Tests/ProgramTests.
//
// Spans of time stay right. libfaketime shifts timers of the monotonic clock too (0.9.10): a program that is ahead
// finds each of them due at once and spins, and one that is behind waits for as long as its clock is off.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t ahead(void) {
  const char *seconds = getenv("CLOCK_AHEAD_SECONDS");
  return seconds ? (time_t)atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *moment) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, moment);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) moment->tv_sec += ahead();
  return result;
}

int gettimeofday(struct timeval *restrict moment, void *restrict zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  moment->tv_sec = now.tv_sec;
  moment->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *moment) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return (time_t)-1;
  if (moment) *moment = now.tv_sec;
  return now.tv_sec;
}
