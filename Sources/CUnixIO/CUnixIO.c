#define _GNU_SOURCE
#include "CUnixIO.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wchar.h>

extern char **environ;

char **unix_environment(void) { return environ; }

int dump_flag_clear(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int unix_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int unix_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int unix_columns(unsigned int character) { return wcwidth((wchar_t)character); }

void unix_write_lines(void) { setvbuf(stdout, NULL, _IOLBF, BUFSIZ); }

void unix_trim_memory(void) { malloc_trim(0); }

int unix_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

void unix_close_on_exec(int only_polls) {
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
