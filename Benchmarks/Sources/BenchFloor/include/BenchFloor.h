#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

// The load uses epoll, which Swift's Glibc module does not declare.
#include <stddef.h>
#include <sys/epoll.h>

/// Serves newline-delimited messages on a Unix socket until the process is killed. It does only what any server must do.
///
/// It has one thread and uses epoll, with one read for each readable connection and one send for each connection in a
/// round. It does not parse JSON. It answers a line with `"id":<number>` with a null result. A line with `"sub"`
/// subscribes its connection. A line with `"set"` sends each subscriber a notification with the number after `"n":`.
///
/// Returns a value of errno if the socket cannot be created.
int bench_floor_run(const char *path);

/// memmem(3), an extension that Swift's Glibc module does not declare.
const void *bench_find(const void *bytes, size_t count, const void *text, size_t text_count);

#endif
