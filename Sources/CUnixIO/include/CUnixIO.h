#ifndef C_UNIX_IO_H
#define C_UNIX_IO_H

#include "ThreadActivity.h"

// Calls of the system that Swift cannot make: their names are extensions, or they take a variable number of arguments.

/// Clears the flag that lets the kernel write core dumps of this process and other processes trace it (PR_SET_DUMPABLE).
///
/// Returns 0, or -1 with `errno` set.
int dump_flag_clear(void);

/// Accepts a connection whose descriptor has the close-on-exec flag. Returns -1 with `errno` set if there is none.
int unix_accept(int listener);

/// Makes a stream socket of AF_UNIX that does not block and has the close-on-exec flag. Returns -1 with `errno` set.
int unix_socket(void);

/// Makes a pipe whose two ends have the close-on-exec flag. Returns 0, or -1 with `errno` set.
int unix_pipe(int ends[2]);

/// Makes the standard output write each line when it ends, also to a file or a pipe (setvbuf(3)).
void unix_write_lines(void);

/// Gives free memory of the allocator back to the system.
void unix_trim_memory(void);

/// Sets the close-on-exec flag of open descriptors above 2: of all of them, or of those that are epoll instances.
void unix_close_on_exec(int only_polls);

/// The columns of a character on a terminal (wcwidth(3)) in the locale of the process; -1 for one that it does not know.
int unix_columns(unsigned int character);

/// The environment of the process (environ(7)).
char **unix_environment(void);

#endif
