// Prints the calculator's display and its operations whenever they change, in C with cJSON.
// It shows: a loop over lines, a picture of two outputs, a whole list, refused inputs, the end of the daemon.
// Build it: cc -o display display.c -lcjson      Run it: VIEWMODELD_SOCKET=/path/to/vm.sock ./display [KEYS]
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#define REQUEST "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":"
#define text(object, name) cJSON_GetStringValue(cJSON_GetObjectItem(object, name))

int main(int count, char **words) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", getenv("VIEWMODELD_SOCKET") ?: "");
    int daemon = socket(AF_UNIX, SOCK_STREAM, 0), id = 2;
    if (connect(daemon, (struct sockaddr *)&address, sizeof address)) return perror(address.sun_path), 3;
    dprintf(daemon, REQUEST "{\"session\":\"desk\"}}\n", 1, "session.attach");
    dprintf(daemon, REQUEST "{\"id\":\"calculator\",\"outputs\":[\"led\",\"operations\"],\"patches\":false}}\n",
            2, "viewModel.bind");
    for (char *key = count > 1 ? words[1] : ""; *key; key++)
        dprintf(daemon, REQUEST "[\"%c\"]}\n", ++id, "calculator.press", *key);

    cJSON *picture = cJSON_CreateObject(), *row, *value;
    char *line = NULL; // getline makes it as long as it needs to be.
    FILE *lines = fdopen(daemon, "r");
    setlinebuf(stdout);
    for (size_t size = 0; getline(&line, &size, lines) > 0;) {
        cJSON *message = cJSON_Parse(line), *result = cJSON_GetObjectItem(message, "result");
        cJSON *values = cJSON_GetObjectItem(result ? result : cJSON_GetObjectItem(message, "params"), "values");
        cJSON *error = cJSON_GetObjectItem(message, "error"), *data = cJSON_GetObjectItem(error, "data");
        if (error) printf("%s, expected %s\n", text(error, "message"), text(data, "expected") ?: "JSON");
        while ((value = cJSON_DetachItemFromArray(values, 0))) { // A new value replaces the one of that name.
            cJSON_DeleteItemFromObject(picture, value->string);
            cJSON_AddItemToObject(picture, value->string, value);
        }
        if (values) {
            printf("%s", text(picture, "led"));
            cJSON_ArrayForEach(row, cJSON_GetObjectItem(picture, "operations")) printf(" | %s", text(row, "text"));
            puts("");
        }
        cJSON_Delete(message);
    }
    return puts("The daemon has closed the connection."), 3;
}
