#pragma once

// The functions of libpq, which the daemon loads when it first needs them.
//
// A program that is linked with libpq loads it and 21 other libraries (TLS, Kerberos, LDAP) at each start, also with
// SQLite. The headers are those of PostgreSQL 15, unchanged, so a build needs no libpq. The interface `libpq.so.5` has
// been compatible since PostgreSQL 8.2; the newest function in use is of PostgreSQL 14.
#include "libpq-fe.h"

// Loads libpq. It must have returned NULL before any other function of libpq is called.
//
// It may be called from several threads, and loads once.
//
// Returns: NULL, or the loader's message, which lives as long as the process.
const char *libpq_load(void);
