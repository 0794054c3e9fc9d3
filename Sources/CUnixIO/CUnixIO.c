#define _GNU_SOURCE
#include "CUnixIO.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

char **unix_environment(void) { return environ; }

#if defined(__linux__)
#include <sys/prctl.h>

int dump_flag_clear(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int unix_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int unix_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int unix_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
#else
int dump_flag_clear(void) { return 0; }

static int flagged(int descriptor) {
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
}

int unix_accept(int listener) { return flagged(accept(listener, NULL, NULL)); }

int unix_socket(void) {
    int descriptor = flagged(socket(AF_UNIX, SOCK_STREAM, 0));
    if (descriptor >= 0) fcntl(descriptor, F_SETFL, O_NONBLOCK);
    return descriptor;
}

int unix_pipe(int ends[2]) {
    int result = pipe(ends);
    if (result == 0) flagged(ends[0]), flagged(ends[1]);
    return result;
}
#endif

void unix_close_on_exec(int only_polls) {
    // macOS has the same directory, without the targets of its links.
    DIR *directory = opendir("/dev/fd");
    if (directory == NULL) return;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        int descriptor = atoi(entry->d_name);
        if (descriptor <= STDERR_FILENO) continue;
        char target[64] = "";
        if (only_polls) readlinkat(dirfd(directory), entry->d_name, target, sizeof target - 1);
        if (only_polls && strcmp(target, "anon_inode:[eventpoll]") != 0) continue;
        int flags = fcntl(descriptor, F_GETFD);
        if (flags >= 0) fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
    }
    closedir(directory);
}
