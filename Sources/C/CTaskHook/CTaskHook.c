#include "CTaskHook.h"

#include <stddef.h>

#define SWIFT_CALL __attribute__((swiftcall))

// The runtime's own declarations (swift/Runtime/Concurrency.h): a hook gets the job and the function that it stands
// in for.
typedef SWIFT_CALL void (*enqueue_function)(void *job);
typedef SWIFT_CALL void (*enqueue_hook)(void *job, enqueue_function original);
extern enqueue_hook swift_task_enqueueGlobal_hook;

static _Thread_local int watched;
// Per thread, so that worlds which run side by side do not count each other's.
static _Thread_local uint64_t escaped;

static SWIFT_CALL void count_and_pass_on(void *job, enqueue_function original) {
  if (watched) escaped += 1;
  original(job);
}

void counterfoil_watch_global_jobs(void) {
  if (swift_task_enqueueGlobal_hook == NULL) swift_task_enqueueGlobal_hook = count_and_pass_on;
}

void counterfoil_watch_this_thread(int watch) { watched = watch; }

uint64_t counterfoil_escaped_jobs(void) {
  return escaped;
}
