#ifndef DUMP_FLAG_H
#define DUMP_FLAG_H

/// Clears the flag that lets the kernel write core dumps of this process and other processes trace it (PR_SET_DUMPABLE).
///
/// Swift cannot call prctl(2), which takes a variable number of arguments. Returns 0, or -1 with `errno` set.
int dump_flag_clear(void);

#endif
