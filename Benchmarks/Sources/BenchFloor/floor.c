#define _GNU_SOURCE
#include "BenchFloor.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LONGEST_LINE = 64 << 10, EVENTS = 256, KEPT_OUTPUT = 4 << 10 };

struct bytes {
    char *start;
    size_t count, capacity;
};

struct connection {
    int descriptor;
    bool is_subscriber, is_dirty, is_blocked, is_gone;
    struct bytes unfinished, unsent;
    struct connection *next_subscriber, *next_dirty;
};

static int poller;
static struct connection *subscribers, *dirty;

static void append(struct bytes *bytes, const char *data, size_t count) {
    if (bytes->count + count > bytes->capacity) {
        bytes->capacity = 2 * (bytes->count + count);
        bytes->start = realloc(bytes->start, bytes->capacity);
        if (!bytes->start) abort();
    }
    memcpy(bytes->start + bytes->count, data, count);
    bytes->count += count;
}

static void release(struct bytes *bytes) {
    free(bytes->start);
    *bytes = (struct bytes){0};
}

static void send_later(struct connection *connection, const char *data, size_t count) {
    if (connection->is_gone) return;
    append(&connection->unsent, data, count);
    if (connection->is_dirty) return;
    connection->is_dirty = true;
    connection->next_dirty = dirty;
    dirty = connection;
}

static void watch(struct connection *connection, bool is_blocked) {
    if (connection->is_blocked == is_blocked) return;
    connection->is_blocked = is_blocked;
    struct epoll_event event = {.events = EPOLLIN | (is_blocked ? EPOLLOUT : 0u), .data.ptr = connection};
    epoll_ctl(poller, EPOLL_CTL_MOD, connection->descriptor, &event);
}

static void flush(struct connection *connection) {
    struct bytes *unsent = &connection->unsent;
    size_t sent = 0;
    while (sent < unsent->count) {
        ssize_t taken = send(connection->descriptor, unsent->start + sent, unsent->count - sent, MSG_NOSIGNAL);
        if (taken < 0 && errno == EINTR) continue;
        if (taken < 0) {
            if (errno != EAGAIN) connection->is_gone = true;
            break;
        }
        sent += (size_t)taken;
    }
    memmove(unsent->start, unsent->start + sent, unsent->count - sent);
    unsent->count -= sent;
    if (unsent->count == 0 && unsent->capacity > KEPT_OUTPUT) release(unsent);
    if (!connection->is_gone) watch(connection, unsent->count > 0);
}

static void take_line(struct connection *connection, const char *line, size_t count) {
    const char *number;
    if (memmem(line, count, "\"set\"", 5) && (number = memmem(line, count, "\"n\":", 4))) {
        static unsigned long long sequence;
        char note[192];
        long value = strtol(number + 4, NULL, 10);
        int length = snprintf(
            note, sizeof note,
            "{\"jsonrpc\":\"2.0\",\"method\":\"viewModel.changed\",\"params\":{\"id\":\"lab\",\"seq\":%llu,"
            "\"values\":{\"value\":%ld,\"double\":%ld}}}\n",
            ++sequence, value, 2 * value);
        for (struct connection *each = subscribers; each; each = each->next_subscriber)
            send_later(each, note, (size_t)length);
    } else if (!connection->is_subscriber && memmem(line, count, "\"sub\"", 5)) {
        connection->is_subscriber = true;
        connection->next_subscriber = subscribers;
        subscribers = connection;
    }
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":", tail[] = ",\"result\":null}\n";
    const char *id = memmem(line, count, "\"id\":", 5);
    if (!id) return;
    id += 5;
    size_t digits = 0;
    while (id + digits < line + count && id[digits] >= '0' && id[digits] <= '9') digits++;
    char reply[96];
    if (digits == 0 || digits > 20) return;
    memcpy(reply, head, sizeof head - 1);
    memcpy(reply + sizeof head - 1, id, digits);
    memcpy(reply + sizeof head - 1 + digits, tail, sizeof tail - 1);
    send_later(connection, reply, sizeof head - 1 + digits + sizeof tail - 1);
}

static void take_bytes(struct connection *connection) {
    static char buffer[LONGEST_LINE];
    struct bytes *unfinished = &connection->unfinished;
    if (unfinished->count == LONGEST_LINE) {
        connection->is_gone = true;
        return;
    }
    size_t held = unfinished->count;
    if (held) memcpy(buffer, unfinished->start, held);
    ssize_t received = recv(connection->descriptor, buffer + held, LONGEST_LINE - held, 0);
    if (received < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (received <= 0) {
        connection->is_gone = true;
        return;
    }
    char *line = buffer, *end = buffer + held + received, *feed;
    while ((feed = memchr(line, '\n', (size_t)(end - line)))) {
        take_line(connection, line, (size_t)(feed - line));
        line = feed + 1;
    }
    unfinished->count = 0;
    if (line < end) append(unfinished, line, (size_t)(end - line));
}

static void take_connections(int listener) {
    int descriptor;
    while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct connection *connection = calloc(1, sizeof *connection);
        if (!connection) abort();
        connection->descriptor = descriptor;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
    }
}

static void drop(struct connection *connection) {
    for (struct connection **each = &subscribers; *each; each = &(*each)->next_subscriber) {
        if (*each != connection) continue;
        *each = connection->next_subscriber;
        break;
    }
    close(connection->descriptor);
    release(&connection->unfinished);
    release(&connection->unsent);
    free(connection);
}

int bench_floor_run(const char *path) {
    // The parent may have blocked the signal that ends this process.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024))
        return errno;
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poller, events, EVENTS, -1);
        // The events and the dirty list hold pointers to connections, so they are freed after the round.
        struct connection *gone[EVENTS];
        int gone_count = 0;
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (!connection) {
                take_connections(listener);
                continue;
            }
            if (events[i].events & EPOLLOUT) flush(connection);
            if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR) && !connection->is_gone) take_bytes(connection);
            if (connection->is_gone) gone[gone_count++] = connection;
        }
        while (dirty) {
            struct connection *connection = dirty;
            dirty = connection->next_dirty;
            connection->is_dirty = false;
            if (connection->is_gone) continue;
            flush(connection);
            // epoll reports it in a later round.
            if (connection->is_gone) shutdown(connection->descriptor, SHUT_RDWR);
        }
        for (int i = 0; i < gone_count; i++) drop(gone[i]);
    }
}

const void *bench_find(const void *bytes, size_t count, const void *text, size_t text_count) {
    return memmem(bytes, count, text, text_count);
}
