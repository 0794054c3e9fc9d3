"""Runs a program under the system call filter of a unit (systemd.exec(5)).

filtered.py UNIT PROGRAM [ARGUMENT ...]: takes SystemCallFilter= and SystemCallErrorNumber=EPERM, RestrictAddressFamilies=
and MemoryDenyWriteExecute= from the unit; what a set holds is asked of systemd-analyze.
"""

import errno
import os
import re
import socket
import subprocess
import sys

import seccomp


def calls(name):
    """The system calls of a set, or a call by its name."""
    if not name.startswith("@"):
        return {name}
    text = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
    found = set()
    for line in text.splitlines()[1:]:
        line = line.split("#")[0].strip()
        if line:
            found |= calls(line)
    return found


unit = open(sys.argv[1]).read()
allowed = set()
for value in re.findall(r"^SystemCallFilter=(.*)$", unit, re.M):
    names = set().union(*(calls(name) for name in value.lstrip("~").split()))
    allowed = allowed - names if value.startswith("~") else allowed | names
# systemd lets these through in any case; the program has to be started, too.
allowed |= {"execve", "exit", "exit_group", "rt_sigreturn", "clock_gettime", "gettimeofday", "time", "rseq"}

refuse = seccomp.ERRNO(errno.EPERM)
filter = seccomp.SyscallFilter(refuse)
families = re.search(r"^RestrictAddressFamilies=(.*)$", unit, re.M)[1].split()
for name in sorted(allowed):
    try:
        if name == "socket":
            for family in families:
                filter.add_rule(seccomp.ALLOW, name, seccomp.Arg(0, seccomp.EQ, getattr(socket, family)))
        elif name in ("mmap", "mprotect", "pkey_mprotect") and "MemoryDenyWriteExecute=yes" in unit:
            # Nothing may be written and run: neither both at once, nor made to run later.
            if name == "mmap":
                filter.add_rule(seccomp.ALLOW, name, seccomp.Arg(2, seccomp.MASKED_EQ, 2, 0))
                filter.add_rule(seccomp.ALLOW, name, seccomp.Arg(2, seccomp.MASKED_EQ, 4, 0))
            else:
                filter.add_rule(seccomp.ALLOW, name, seccomp.Arg(2, seccomp.MASKED_EQ, 4, 0))
        else:
            filter.add_rule(seccomp.ALLOW, name)
    except (RuntimeError, ValueError):
        pass  # A call that this kernel or architecture does not have.
filter.load()
os.execv(sys.argv[2], sys.argv[2:])
