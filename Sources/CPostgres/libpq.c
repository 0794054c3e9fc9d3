#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

// The functions of libpq that the store calls: result, name, parameters, arguments.
#define FUNCTIONS(each)                                                                                              \
    each(int, PQbackendPID, (const PGconn *conn), (conn))                                                            \
    each(int, PQcancel, (PGcancel *cancel, char *errbuf, int errbufsize), (cancel, errbuf, errbufsize))              \
    each(void, PQclear, (PGresult *res), (res))                                                                      \
    each(PostgresPollingStatusType, PQconnectPoll, (PGconn *conn), (conn))                                           \
    each(PGconn *, PQconnectStartParams,                                                                             \
         (const char *const *keywords, const char *const *values, int expand_dbname),                                \
         (keywords, values, expand_dbname))                                                                          \
    each(void, PQconninfoFree, (PQconninfoOption *connOptions), (connOptions))                                       \
    each(PQconninfoOption *, PQconninfoParse, (const char *conninfo, char **errmsg), (conninfo, errmsg))             \
    each(int, PQconsumeInput, (PGconn *conn), (conn))                                                                \
    each(int, PQenterPipelineMode, (PGconn *conn), (conn))                                                           \
    each(char *, PQerrorMessage, (const PGconn *conn), (conn))                                                       \
    each(int, PQexitPipelineMode, (PGconn *conn), (conn))                                                            \
    each(void, PQfinish, (PGconn *conn), (conn))                                                                     \
    each(int, PQflush, (PGconn *conn), (conn))                                                                       \
    each(char *, PQfname, (const PGresult *res, int field_num), (res, field_num))                                    \
    each(void, PQfreeCancel, (PGcancel *cancel), (cancel))                                                           \
    each(void, PQfreemem, (void *ptr), (ptr))                                                                        \
    each(Oid, PQftype, (const PGresult *res, int field_num), (res, field_num))                                       \
    each(PGcancel *, PQgetCancel, (PGconn *conn), (conn))                                                            \
    each(PGresult *, PQgetResult, (PGconn *conn), (conn))                                                            \
    each(int, PQgetisnull, (const PGresult *res, int tup_num, int field_num), (res, tup_num, field_num))             \
    each(int, PQgetlength, (const PGresult *res, int tup_num, int field_num), (res, tup_num, field_num))             \
    each(char *, PQgetvalue, (const PGresult *res, int tup_num, int field_num), (res, tup_num, field_num))           \
    each(int, PQisBusy, (PGconn *conn), (conn))                                                                      \
    each(int, PQnfields, (const PGresult *res), (res))                                                               \
    each(PGnotify *, PQnotifies, (PGconn *conn), (conn))                                                             \
    each(int, PQntuples, (const PGresult *res), (res))                                                               \
    each(int, PQpipelineSync, (PGconn *conn), (conn))                                                                \
    each(char *, PQresultErrorField, (const PGresult *res, int fieldcode), (res, fieldcode))                         \
    each(char *, PQresultErrorMessage, (const PGresult *res), (res))                                                 \
    each(ExecStatusType, PQresultStatus, (const PGresult *res), (res))                                               \
    each(int, PQsendPrepare,                                                                                         \
         (PGconn *conn, const char *stmtName, const char *query, int nParams, const Oid *paramTypes),                \
         (conn, stmtName, query, nParams, paramTypes))                                                               \
    each(int, PQsendQuery, (PGconn *conn, const char *query), (conn, query))                                         \
    each(int, PQsendQueryPrepared,                                                                                   \
         (PGconn *conn, const char *stmtName, int nParams, const char *const *paramValues,                           \
         const int *paramLengths, const int *paramFormats, int resultFormat),                                        \
         (conn, stmtName, nParams, paramValues, paramLengths, paramFormats, resultFormat))                           \
    each(PGVerbosity, PQsetErrorVerbosity, (PGconn *conn, PGVerbosity verbosity), (conn, verbosity))                 \
    each(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn *conn, PQnoticeReceiver proc, void *arg), (conn, proc, arg)) \
    each(int, PQsetnonblocking, (PGconn *conn, int arg), (conn, arg))                                                \
    each(int, PQsocket, (const PGconn *conn), (conn))                                                                \
    each(int, PQsslInUse, (PGconn *conn), (conn))                                                                    \
    each(ConnStatusType, PQstatus, (const PGconn *conn), (conn))                                                     \
    each(PGTransactionStatusType, PQtransactionStatus, (const PGconn *conn), (conn))

// Each is defined here, and calls the loaded one. It is hidden, so that calls within libpq do not come here.
#define DEFINE(result, name, parameters, arguments)                                              \
    static result(*loaded_##name) parameters;                                                    \
    __attribute__((visibility("hidden"))) result name parameters { return loaded_##name arguments; }
FUNCTIONS(DEFINE)

static const struct {
    const char *name;
    void **loaded;
} functions[] = {
#define ENTRY(result, name, parameters, arguments) {#name, (void **)&loaded_##name},
    FUNCTIONS(ENTRY)
};

static const char *failure;

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    for (size_t index = 0; library && index < sizeof functions / sizeof *functions; index++) {
        *functions[index].loaded = dlsym(library, functions[index].name);
        if (!*functions[index].loaded) library = NULL;
    }
    if (!library) failure = strdup(dlerror());
}

const char *libpq_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failure;
}
