#include "CEmbeddedFiles.h"

#include <stddef.h>

#pragma clang diagnostic ignored "-Wc23-extensions"  // #embed

static const struct EmbeddedFile files[] = {
    {"client.js", (const unsigned char[]){
#embed "../ClientGenerators/Templates/client.js.in" suffix(, 0)
    }},
    {"client.py", (const unsigned char[]){
#embed "../ClientGenerators/Templates/client.py.in" suffix(, 0)
    }},
    {"client.swift", (const unsigned char[]){
#embed "../ClientGenerators/Templates/client.swift.in" suffix(, 0)
    }},
    {"names.txt", (const unsigned char[]){
#embed "../ClientGenerators/Templates/names.txt" suffix(, 0)
    }},
    {"viewmodel-dom.js", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel-dom.js" suffix(, 0)
    }},
    {"viewmodel-react.js", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel-react.js" suffix(, 0)
    }},
    {"viewmodel.d.ts", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel.d.ts" suffix(, 0)
    }},
    {"viewmodel.js", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel.js" suffix(, 0)
    }},
    {"viewmodel.py", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel.py" suffix(, 0)
    }},
    {"viewmodel.ts", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel.ts" suffix(, 0)
    }},
    {"viewmodel_drivers.py", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel_drivers.py" suffix(, 0)
    }},
    {"viewmodel_field.py", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel_field.py" suffix(, 0)
    }},
    {"viewmodel_gtk.py", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel_gtk.py" suffix(, 0)
    }},
    {"viewmodel_instances.py", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel_instances.py" suffix(, 0)
    }},
    {"viewmodel_list.py", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel_list.py" suffix(, 0)
    }},
    {"viewmodel_qt.py", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel_qt.py" suffix(, 0)
    }},
    {"viewmodel_sync.py", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel_sync.py" suffix(, 0)
    }},
    {"viewmodel_textual.py", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel_textual.py" suffix(, 0)
    }},
    {"viewmodel_values.py", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel_values.py" suffix(, 0)
    }},
    {NULL, NULL},
};

const struct EmbeddedFile *clientRuntimes(void) {
    return files;
}
