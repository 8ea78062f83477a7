// Tells the thread sanitizer where two threads meet at a Synchronization.Mutex: preloaded by scripts/sanitize on Linux.
//
// The quick way in and out of such a mutex is compiled into our code, where the sanitizer sees it. A thread that has
// to wait goes through the Swift runtime, which no sanitizer has seen: without this file each such meeting is reported
// as a race that is none.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

// Methods of Swift: the mutex comes in the register for `self`.
typedef __attribute__((swiftcall)) void (*Lock)(uint32_t thread, __attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) bool (*TryLock)(__attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) void (*Unlock)(__attribute__((swift_context)) void *mutex);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex) __asm__(LOCK);
__attribute__((swiftcall)) bool try_lock_slow(__attribute__((swift_context)) void *mutex) __asm__(TRY_LOCK);
__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *mutex) __asm__(UNLOCK);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex) {
  ((Lock)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
  __tsan_acquire(mutex);
}

__attribute__((swiftcall)) bool try_lock_slow(__attribute__((swift_context)) void *mutex) {
  bool has_locked = ((TryLock)dlsym(RTLD_NEXT, TRY_LOCK))(mutex);
  if (has_locked) __tsan_acquire(mutex);
  return has_locked;
}

__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *mutex) {
  __tsan_release(mutex);
  ((Unlock)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
