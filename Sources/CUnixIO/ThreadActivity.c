#define _GNU_SOURCE
#include "ThreadActivity.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// The activity of a registered thread. It is used again, and never freed, because a signal handler may read it.
typedef struct registration {
    thread_activity activity;
    struct registration *next;
    int is_used;
    void (*wake)(const void *);
    const void *watch;
    /// The lowest address of the stack of the thread.
    const char *stack_end;
    // A stack overflow leaves no room for the handler on the stack of the thread.
    char stack[1 << 16];
} registration;

static registration *registrations;
/// Held while the texts of places are copied or freed. The handler only tries it.
static int lock;

static _Thread_local thread_activity unregistered = {.member = -1, .is_watched = 1};
_Thread_local thread_activity *thread_activity_own;

thread_activity *thread_activity_current(void) {
    return thread_activity_own != NULL ? thread_activity_own : &unregistered;
}

static int try_lock(int *lock) { return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); }

static void take_lock(int *lock) {
    while (!try_lock(lock)) sched_yield();
}

static void release_lock(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void thread_ended(void *ended) {
    take_lock(&lock);
    ((registration *)ended)->is_used = 0;
    release_lock(&lock);
}

static void make_key(void) { pthread_key_create(&key, thread_ended); }

/// Returns the lowest address of the stack of the calling thread, or NULL.
static const char *own_stack_end(void) {
    pthread_attr_t attributes;
    void *end = NULL;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return NULL;
    if (pthread_attr_getstack(&attributes, &end, &size) != 0) end = NULL;
    pthread_attr_destroy(&attributes);
    return end;
}

/// Returns the registration of the calling thread, or NULL without memory for it.
static registration *own_registration(void) {
    if (thread_activity_own != NULL) return (registration *)thread_activity_own;
    pthread_once(&once, make_key);
    take_lock(&lock);
    registration *free = registrations;
    while (free != NULL && free->is_used) free = free->next;
    if (free == NULL && (free = calloc(1, sizeof *free)) != NULL) {
        free->next = registrations;
        __atomic_store_n(&registrations, free, __ATOMIC_RELEASE);
    }
    if (free != NULL) {
        free->is_used = 1;
        free->activity = (thread_activity){.member = -1, .is_watched = 1};
    }
    release_lock(&lock);
    if (free == NULL) return NULL;
    thread_activity_own = &free->activity;
    pthread_setspecific(key, free);
    free->stack_end = own_stack_end();
    stack_t stack;
    if (sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_DISABLE) {
        stack = (stack_t){.ss_sp = free->stack, .ss_size = sizeof free->stack};
        sigaltstack(&stack, NULL);
    }
    return free;
}

void thread_activity_prepare(void) { own_registration(); }

thread_activity *thread_activity_register(void (*wake)(const void *), const void *watch) {
    struct registration *registration = own_registration();
    if (registration == NULL) return &unregistered;
    registration->wake = wake;
    registration->watch = watch;
    thread_activity_set_watched(&registration->activity, 0);
    return &registration->activity;
}

void thread_activity_unregister(thread_activity *activity, const void *watch) {
    if (((registration *)activity)->watch == watch) thread_activity_set_watched(activity, 1);
}

void thread_activity_wake(thread_activity *activity) {
    registration *own = (registration *)activity;
    thread_activity_set_watched(activity, 1);
    own->wake(own->watch);
}

activity_place *activity_place_make(unsigned int uid, int text_count, const char *texts, unsigned long length) {
    activity_place *place = malloc(sizeof *place + length);
    if (place == NULL) abort();
    place->owner = NULL;
    place->uid = uid;
    place->text_count = text_count;
    memcpy(place->texts, texts, length);
    return place;
}

void activity_place_free(activity_place *place) {
    thread_activity *activity = thread_activity_current();
    if (activity->place == place) thread_activity_leave(activity);
    take_lock(&lock);
    free(place);
    release_lock(&lock);
}

const char *activity_place_text(const activity_place *place, long number) {
    if (number < 0 || number >= place->text_count) return NULL;
    const char *text = place->texts;
    while (number-- > 0) text += strlen(text) + 1;
    return text;
}

/// Copies a text of a place to `end`, and sets `result` to the copy if there is such a text. Returns the end of the copy.
static char *copy_text(const activity_place *place, long number, char *end, size_t room, const char **result) {
    const char *text = activity_place_text(place, number);
    *result = text == NULL ? NULL : end;
    if (text == NULL) return end;
    size_t length = strnlen(text, room - 1);
    memcpy(end, text, length);
    end[length] = 0;
    return end + length + 1;
}

static void copy_names(const activity_place *place, long member, activity_copy *copy) {
    copy->is_busy = place != NULL;
    copy->session = copy->instance = copy->member = NULL;
    if (place == NULL) return;
    copy->uid = place->uid;
    char *end = copy_text(place, 0, copy->texts, 80, &copy->session);
    end = copy_text(place, 1, end, 80, &copy->instance);
    copy_text(place, member < 0 ? -1 : member + 2, end, 80, &copy->member);
}

static void copy_activity(const thread_activity *activity, activity_copy *copy) {
    const activity_place *place = __atomic_load_n(&activity->place, __ATOMIC_ACQUIRE);
    copy_names(place, __atomic_load_n(&activity->member, __ATOMIC_RELAXED), copy);
}

void thread_activity_copy(thread_activity *activity, unsigned long entries, activity_copy *copy) {
    copy->entries = __atomic_load_n(&activity->entries, __ATOMIC_RELAXED);
    copy->is_busy = __atomic_load_n(&activity->place, __ATOMIC_RELAXED) != NULL;
    if (!copy->is_busy || copy->entries != entries) return;
    take_lock(&lock);
    copy_activity(activity, copy);
    release_lock(&lock);
}

/// The code of a task.
typedef struct named_task {
    struct named_task *next;
    const void *task;
    const activity_place *place;
    long member;
} named_task;

/// The tasks with one hash of their addresses, and the lock that guards them.
typedef struct task_bucket {
    int lock;
    named_task *first;
} task_bucket;

// Each loop looks up the task of each of its jobs. Sessions can have tens of thousands of tasks that follow services.
static task_bucket task_buckets[1 << 14];

static task_bucket *bucket_of(const void *task) {
    // An address is a multiple of 16.
    return &task_buckets[((uintptr_t)task >> 4 ^ (uintptr_t)task >> 18) % (1 << 14)];
}

/// Returns the link to a task, or the link at the end of the list.
static named_task **find_task(task_bucket *bucket, const void *task) {
    named_task **link = &bucket->first;
    while (*link != NULL && (*link)->task != task) link = &(*link)->next;
    return link;
}

void task_activity_set(const void *task, const activity_place *place, long member) {
    named_task *new = malloc(sizeof *new);
    if (new == NULL) abort();
    task_bucket *bucket = bucket_of(task);
    take_lock(&bucket->lock);
    *new = (named_task){.next = bucket->first, .task = task, .place = place, .member = member};
    bucket->first = new;
    release_lock(&bucket->lock);
}

int task_activity_get(const void *task, const activity_place **place, long *member) {
    task_bucket *bucket = bucket_of(task);
    take_lock(&bucket->lock);
    named_task *found = *find_task(bucket, task);
    if (found != NULL) *place = found->place, *member = found->member;
    release_lock(&bucket->lock);
    return found != NULL;
}

const activity_place *task_activity_remove(const void *task) {
    task_bucket *bucket = bucket_of(task);
    take_lock(&bucket->lock);
    named_task **link = find_task(bucket, task), *removed = *link;
    if (removed != NULL) *link = removed->next;
    release_lock(&bucket->lock);
    const activity_place *place = removed == NULL ? NULL : removed->place;
    free(removed);
    return place;
}

// The report of a trap. A signal handler may call async-signal-safe functions only (signal-safety(7)).

static const struct {
    int number;
    const char *name;
} traps[] = {{SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGSEGV, "SIGSEGV"},
             {SIGBUS, "SIGBUS"}, {SIGABRT, "SIGABRT"}, {SIGFPE, "SIGFPE"}};
enum { TRAP_COUNT = sizeof traps / sizeof *traps };

static int form = -1;
static const unsigned char *(*computation_name)(const void *);
static struct sigaction former[TRAP_COUNT];

typedef struct line {
    size_t length;
    // At most PIPE_BUF bytes, which a pipe that polls as writable accepts without blocking.
    char text[1024];
} line;

static void append(line *line, const char *text) {
    while (*text && line->length < sizeof line->text - 1) line->text[line->length++] = *text++;
}

static void append_number(line *line, long number, int digits) {
    char text[24], *first = text + sizeof text - 1;
    *first = 0;
    for (; number > 0 || digits > 0; number /= 10, digits--) *--first = '0' + number % 10;
    append(line, first);
}

/// Appends the time as RFC 3339 text in UTC.
static void append_time(line *line) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    // Days since 1 March of the year 0, in eras of 400 years.
    long days = now.tv_sec / 86400 + 719468, second = now.tv_sec % 86400;
    long era = days / 146097, day = days % 146097;
    long year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    long month = (5 * day + 2) / 153;
    append_number(line, year + era * 400 + (month >= 10), 4);
    append(line, "-");
    append_number(line, month < 10 ? month + 3 : month - 9, 2);
    append(line, "-");
    append_number(line, day - (153 * month + 2) / 5 + 1, 2);
    append(line, "T");
    append_number(line, second / 3600, 2);
    append(line, ":");
    append_number(line, second / 60 % 60, 2);
    append(line, ":");
    append_number(line, second % 60, 2);
    append(line, ".");
    append_number(line, now.tv_nsec / 1000000, 3);
    append(line, "Z");
}

/// Appends a field, whose value is a plain word.
static void append_field(line *line, const char *name, const char *value) {
    if (value == NULL) return;
    int is_json = form == TRAP_REPORT_JSON;
    if (!is_json) append(line, " ");
    else append(line, line->text[line->length - 1] == '{' ? "\"" : ",\"");
    append(line, name);
    append(line, is_json ? "\":\"" : "=");
    append(line, value);
    if (is_json) append(line, "\"");
}

/// Writes a line; `cause`, `computing` and `signal` may be NULL.
static void report(const char *message, const activity_copy *activity, const char *cause, const char *computing,
                   const char *signal) {
    line line = {0};
    switch (form) {
    case TRAP_REPORT_PRIORITY: append(&line, "<2>"); break;
    case TRAP_REPORT_JSON: append(&line, "{\"time\":\""); append_time(&line); break;
    default: append_time(&line); append(&line, " critical ");
    }
    if (form == TRAP_REPORT_JSON) append(&line, "\",\"level\":\"critical\",\"message\":\"");
    append(&line, message);
    if (form == TRAP_REPORT_JSON) append(&line, "\",\"metadata\":{");
    append_field(&line, "cause", cause);
    append_field(&line, "computing", computing);
    append_field(&line, "instance", activity->instance);
    append_field(&line, "member", activity->member);
    if (activity->is_busy) {
        append_field(&line, "session", *activity->session ? activity->session : "(anonymous)");
    }
    append_field(&line, "signal", signal);
    if (activity->is_busy) {
        struct line uid = {0};
        append_number(&uid, activity->uid, 1);
        append_field(&line, "uid", uid.text);
    }
    append(&line, form == TRAP_REPORT_JSON ? "}}\n" : "\n");
    struct pollfd error = {.fd = STDERR_FILENO, .events = POLLOUT};
    // A reader of the log that is stuck must not keep the process.
    if (poll(&error, 1, 0) > 0 && error.revents & POLLOUT) {
        ssize_t ignored = write(STDERR_FILENO, line.text, line.length);
        (void)ignored;
    }
}

/// Whether a fault is at the end of the stack of the thread, or in the guard below it.
static int is_stack_overflow(const siginfo_t *information) {
    if (information->si_signo != SIGSEGV && information->si_signo != SIGBUS) return 0;
    const registration *own = (registration *)thread_activity_own;
    if (own == NULL || own->stack_end == NULL || information->si_code <= 0) return 0;
    ptrdiff_t distance = (const char *)information->si_addr - own->stack_end;
    return -(1 << 16) <= distance && distance < 1 << 16;
}

/// The running task of the calling thread, in the runtime of Swift. It reads a variable of the thread.
__attribute__((swiftcall, weak)) extern const void *_Nullable swift_task_getCurrent(void);

/// Takes the lock. Gives up after a while, because the thread itself may hold it.
static int take_lock_in_handler(int *lock) {
    for (int attempt = 0; attempt < 100; attempt++) {
        if (try_lock(lock)) return 1;
        poll(NULL, 0, 1);
    }
    return 0;
}

/// Copies what the calling thread runs, or what has started the task that it runs.
static void copy_own(activity_copy *copy) {
    copy_activity(thread_activity_current(), copy);
    const void *task = copy->is_busy || swift_task_getCurrent == NULL ? NULL : swift_task_getCurrent();
    // The loop names a task when it has begun to wait, and the service may run already.
    for (int attempt = 0; task != NULL && !copy->is_busy && attempt < 50; attempt++) {
        if (attempt > 0) poll(NULL, 0, 1);
        task_bucket *bucket = bucket_of(task);
        if (!take_lock_in_handler(&bucket->lock)) return;
        const named_task *found = *find_task(bucket, task);
        if (found != NULL) copy_names(found->place, found->member, copy);
        release_lock(&bucket->lock);
    }
}

static void trapped(int number, siginfo_t *information, void *context) {
    (void)context;
    int error = errno, index = 0;
    static int is_reporting;
    // The thread that has trapped first ends the process, after its report.
    if (__atomic_exchange_n(&is_reporting, 1, __ATOMIC_RELAXED)) poll(NULL, 0, 1000);
    while (traps[index].number != number) index++;
    activity_copy activity;
    copy_own(&activity);
    const char *cause = is_stack_overflow(information) ? "stack-overflow" : NULL;
    const thread_activity *own = thread_activity_current();
    const unsigned char *(*name)(const void *) = __atomic_load_n(&computation_name, __ATOMIC_RELAXED);
    const unsigned char *computing = name != NULL && own->graph != NULL ? name(own->graph) : NULL;
    report("The process ends because of a trap", &activity, cause, (const char *)computing, traps[index].name);
    // A signal from outside, such as that of a service manager's watchdog, concerns all threads.
    if (!activity.is_busy && take_lock_in_handler(&lock)) {
        registration *other = __atomic_load_n(&registrations, __ATOMIC_ACQUIRE);
        for (; other != NULL; other = other->next) {
            copy_activity(&other->activity, &activity);
            if (activity.is_busy) report("A loop ran this when the process ended", &activity, NULL, NULL, NULL);
        }
        release_lock(&lock);
    }
    sigaction(number, &former[index], NULL);
    errno = error;
    // A fault repeats itself when the handler returns. A signal that was sent does not, nor does a breakpoint.
    if (information->si_code <= 0 || number == SIGTRAP) raise(number);
}

void trap_report_name_computations(const unsigned char *(*name)(const void *)) {
    __atomic_store_n(&computation_name, name, __ATOMIC_RELAXED);
}

void trap_report_install(int new_form) {
    int is_first = form < 0;
    form = new_form;
    if (!is_first) return;
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (int index = 0; index < TRAP_COUNT; index++) sigaction(traps[index].number, &action, &former[index]);
}
