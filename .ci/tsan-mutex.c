// Tells the thread sanitizer what Swift's Mutex does while several threads want it.
//
// The compiler puts the fast path of `Mutex` into our code, where the sanitizer sees it. The slow path is in
// libswiftSynchronization.so, which is built without the sanitizer, and the kernel hands the lock over (FUTEX_LOCK_PI). Without
// this file the sanitizer reports a race for each correct use of a Mutex that two threads want at the same time.
// .ci/sanitize builds this file, and preloads it into the tests and the daemons that they start.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Programs that are not built with the sanitizer have none of these.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))original(LOCK))(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) __asm__(TRY);
SWIFT bool try_lock_slow(SELF) {
    bool is_locked = ((SWIFT bool (*)(SELF))original(TRY))(self);
    if (is_locked && __tsan_acquire) __tsan_acquire(self);
    return is_locked;
}

SWIFT void unlock_slow(SELF) __asm__(UNLOCK);
SWIFT void unlock_slow(SELF) {
    if (__tsan_release) __tsan_release(self);
    ((SWIFT void (*)(SELF))original(UNLOCK))(self);
}
