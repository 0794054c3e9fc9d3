#ifndef THREAD_ACTIVITY_H
#define THREAD_ACTIVITY_H

#include <stddef.h>

#pragma clang assume_nonnull begin

// What the thread of a session runs. A signal handler and another thread read it, so its texts are plain bytes.

/// Whose code runs: a session, or an instance in it. The texts follow one another, each with a NUL at its end: the session
/// (empty for an anonymous one), then the instance, then the names of its members.
typedef struct activity_place {
    /// The object that frees the place.
    const void *_Nullable owner;
    unsigned int uid;
    int text_count;
    char texts[];
} activity_place;

/// The activity of a thread, which only the thread itself changes.
typedef struct thread_activity {
    /// NULL while no author's code runs.
    const activity_place *_Nullable place;
    /// The index of the member among those of the place, or -1.
    long member;
    /// Grows with each entry into author's code.
    unsigned long entries;
    /// The graph whose step runs, or NULL.
    const void *_Nullable graph;
    /// Whether somebody looks at the thread from time to time.
    int is_watched;
} thread_activity;

/// A copy of an activity, for other threads.
typedef struct activity_copy {
    unsigned long entries;
    int is_busy;
    unsigned int uid;
    /// The texts; NULL if they are not known.
    const char *_Nullable session, *_Nullable instance, *_Nullable member;
    char texts[256];
} activity_copy;

/// The activity of the calling thread, if it is registered.
extern _Thread_local thread_activity *_Nullable thread_activity_own __attribute__((tls_model("initial-exec")));

/// The activity of the calling thread.
thread_activity *thread_activity_current(void);

/// The activity of the calling thread, for a function that no compiler inlines into code that may go on in another thread.
static inline thread_activity *thread_activity_here(void) {
    thread_activity *own = thread_activity_own;
    return own != NULL ? own : thread_activity_current();
}

/// Registers the calling thread until its end: other threads can copy its activity, `wake` is called when it enters
/// author's code and is not watched, and a signal handler has a stack of its own there.
thread_activity *thread_activity_register(void (*wake)(const void *watch), const void *watch);

/// Gives the calling thread a stack for a signal handler, until its end.
void thread_activity_prepare(void);

/// Ends the calls of `wake` for a watch.
void thread_activity_unregister(thread_activity *activity, const void *watch);

/// Copies the activity of a registered thread. Its names are copied only if it is busy and has the given entries.
void thread_activity_copy(thread_activity *activity, unsigned long entries, activity_copy *copy);

/// Calls `wake` of the calling thread's registration, and marks it as watched.
void thread_activity_wake(thread_activity *activity);

/// Makes a place of `length` bytes of texts.
activity_place *activity_place_make(unsigned int uid, int text_count, const char *texts, unsigned long length);

/// A text of a place, or NULL.
const char *_Nullable activity_place_text(const activity_place *place, long number);

/// Frees a place in which no other thread is any more.
void activity_place_free(activity_place *place);

/// Names the code of a task of Swift, which may be suspended or run in any thread. Call it once for a task.
void task_activity_set(const void *task, const activity_place *place, long member);

/// Gets the names of a task's code. Returns 0 for a task without names.
int task_activity_get(const void *task, const activity_place *_Nonnull *_Nonnull place, long *member);

/// Removes the names of a task, and returns their place; NULL for a task without names.
const activity_place *_Nullable task_activity_remove(const void *task);

/// The form of the daemon's log.
enum { TRAP_REPORT_TEXT, TRAP_REPORT_PRIORITY, TRAP_REPORT_JSON };

/// Writes a line about what ran to standard error when a signal of a trap ends the process, and then lets the handler
/// before, or the default action, end it.
void trap_report_install(int form);

/// Sets the function that returns the name of the output that a graph computes, or NULL. A signal handler calls it.
void trap_report_name_computations(const unsigned char *_Nullable (*_Nonnull name)(const void *graph));

static inline int thread_activity_is_watched(const thread_activity *activity) {
    return __atomic_load_n(&activity->is_watched, __ATOMIC_RELAXED);
}

static inline void thread_activity_set_watched(thread_activity *activity, int is_watched) {
    __atomic_store_n(&activity->is_watched, is_watched, __ATOMIC_RELAXED);
}

/// Names the code that runs next.
static inline void thread_activity_set_place(thread_activity *activity, const activity_place *_Nullable place,
                                             long member) {
    __atomic_store_n(&activity->member, member, __ATOMIC_RELAXED);
    __atomic_store_n(&activity->place, place, __ATOMIC_RELEASE);
}

/// Ends the code that runs.
static inline void thread_activity_leave(thread_activity *activity) {
    __atomic_store_n(&activity->place, NULL, __ATOMIC_RELEASE);
}

/// Counts an entry into the code of the place.
static inline void thread_activity_enter(thread_activity *activity) {
    __atomic_store_n(&activity->entries, activity->entries + 1, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&activity->is_watched, __ATOMIC_RELAXED)) thread_activity_wake(activity);
}

#pragma clang assume_nonnull end

#endif
