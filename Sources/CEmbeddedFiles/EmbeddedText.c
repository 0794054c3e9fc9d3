#include "CEmbeddedFiles.h"

#include <stdlib.h>
#include <string.h>

const char *embeddedText(const struct EmbeddedFile *files, const char *name) {
    for (; files->name; files++) {
        if (strcmp(files->name, name) == 0) return (const char *)files->text;
    }
    abort();
}
