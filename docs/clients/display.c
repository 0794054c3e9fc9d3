// Prints the calculator's display and its operations whenever they change, in C with cJSON.
// It shows: a loop over lines, a picture of two outputs, a whole list, refused inputs, a new session, the end of the daemon.
// Build it: cc -o display display.c -lcjson      Run it: VIEWMODELD_SOCKET=/path/to/vm.sock ./display [KEYS]
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#define REQUEST "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":"
#define FOLLOW REQUEST "{\"session\":\"desk\"}}\n" REQUEST "{\"id\":\"calculator\",\"outputs\":[\"led\",\"operations\"],\"patches\":false}}\n"
#define get(object, name) cJSON_GetObjectItem(object, name)
#define text(object, name) (cJSON_GetStringValue(get(object, name)) ?: "")

int main(int count, char **words) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", getenv("VIEWMODELD_SOCKET") ?: "");
    int daemon = socket(AF_UNIX, SOCK_STREAM, 0), id = 2;
    if (connect(daemon, (struct sockaddr *)&address, sizeof address)) return perror(address.sun_path), 3;
    cJSON *message = cJSON_Parse("{\"method\":\"session.closed\"}"), *picture = cJSON_CreateObject(), *row, *value;
    FILE *lines = fdopen(daemon, "r");
    char *line = NULL, *keys = count > 1 ? words[1] : ""; // getline makes the line as long as it needs to be.
    for (size_t size = 0; message; message = getline(&line, &size, lines) > 0 ? cJSON_Parse(line) : NULL) {
        cJSON *params = get(message, "params"), *error = get(message, "error"), *values = get(get(message, "result") ?: params, "values");
        if (!strcmp(text(params, "reason"), "moved")) return printf("The session has moved to %s.\n", text(params, "node")), 3;
        if (!strcmp(text(message, "method"), "session.closed")) // At the start, too. The next session is a new one.
            dprintf(daemon, FOLLOW, 1, "session.attach", 2, "viewModel.bind");
        for (; *keys; keys++) dprintf(daemon, REQUEST "[\"%c\"]}\n", ++id, "calculator.press", *keys);
        if (error) printf("%s, expected %s\n", text(error, "message"), text(get(error, "data"), "expected"));
        while ((value = cJSON_DetachItemFromArray(values, 0))) { // A new value replaces the one of that name.
            cJSON_DeleteItemFromObject(picture, value->string);
            cJSON_AddItemToObject(picture, value->string, value);
        }
        if (values) printf("%s", text(picture, "led"));
        cJSON_ArrayForEach(row, get(values ? picture : NULL, "operations")) printf(" | %s", text(row, "text"));
        printf("%s", values ? "\n" : ""), fflush(stdout), cJSON_Delete(message);
    }
    return puts("The daemon has closed the connection."), 3;
}
