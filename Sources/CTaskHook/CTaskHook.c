#include "CTaskHook.h"

#include <stdatomic.h>
#include <stddef.h>

#define SWIFT_CALL __attribute__((swiftcall))

// The runtime's own declarations (swift/Runtime/Concurrency.h): a hook gets the job and the function that it stands
// in for.
typedef SWIFT_CALL void (*enqueue_function)(void *job);
typedef SWIFT_CALL void (*enqueue_hook)(void *job, enqueue_function original);
extern enqueue_hook swift_task_enqueueGlobal_hook;

static _Thread_local int watched;
static atomic_uint_fast64_t escaped;

static SWIFT_CALL void count_and_pass_on(void *job, enqueue_function original) {
  if (watched) atomic_fetch_add_explicit(&escaped, 1, memory_order_relaxed);
  original(job);
}

void counterfoil_watch_global_jobs(void) {
  if (swift_task_enqueueGlobal_hook == NULL) swift_task_enqueueGlobal_hook = count_and_pass_on;
}

void counterfoil_watch_this_thread(int watch) { watched = watch; }

uint64_t counterfoil_escaped_jobs(void) {
  return atomic_load_explicit(&escaped, memory_order_relaxed);
}
