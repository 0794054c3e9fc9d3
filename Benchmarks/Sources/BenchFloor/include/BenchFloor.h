#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

// For the load, which Swift's Glibc module does not give it to.
#include <stddef.h>
#include <sys/epoll.h>

/// Serves newline-delimited messages on a Unix socket until the process is killed: what any server has to do, and no more.
///
/// One thread, epoll, one read a readable connection, one send a connection and round. No JSON is parsed: a line's
/// `"id":<number>` is answered with a null result; a line with `"sub"` subscribes its connection; a line with `"set"`
/// sends every subscriber a notification with the number behind `"n":`.
///
/// Returns a value of errno when the socket cannot be made.
int bench_floor_run(const char *path);

/// memmem(3), which is an extension that Swift does not see either.
const void *bench_find(const void *bytes, size_t count, const void *text, size_t text_count);

#endif
