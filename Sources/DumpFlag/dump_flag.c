#include "DumpFlag.h"

#if defined(__linux__)
#include <sys/prctl.h>

int dump_flag_clear(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
#else
int dump_flag_clear(void) { return 0; }
#endif
