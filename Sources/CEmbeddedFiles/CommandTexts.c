#include "CEmbeddedFiles.h"

#include <stddef.h>

#pragma clang diagnostic ignored "-Wc23-extensions"  // #embed

static const struct EmbeddedFile files[] = {
    {"completion.bash", (const unsigned char[]){
#embed "../ViewModelCommands/Texts/completion.bash" suffix(, 0)
    }},
    {"completion.fish", (const unsigned char[]){
#embed "../ViewModelCommands/Texts/completion.fish" suffix(, 0)
    }},
    {"completion.zsh", (const unsigned char[]){
#embed "../ViewModelCommands/Texts/completion.zsh" suffix(, 0)
    }},
    {"Package.swift", (const unsigned char[]){
#embed "../ViewModelDeveloperCommands/Texts/Package.swift.in" suffix(, 0)
    }},
    {"README.md", (const unsigned char[]){
#embed "../ViewModelDeveloperCommands/Texts/README.md.in" suffix(, 0)
    }},
    {"Tasks.swift", (const unsigned char[]){
#embed "../ViewModelDeveloperCommands/Texts/Tasks.swift.in" suffix(, 0)
    }},
    {"TasksTests.swift", (const unsigned char[]){
#embed "../ViewModelDeveloperCommands/Texts/TasksTests.swift.in" suffix(, 0)
    }},
    {"main.swift", (const unsigned char[]){
#embed "../ViewModelDeveloperCommands/Texts/main.swift.in" suffix(, 0)
    }},
    {"viewmodeld.service", (const unsigned char[]){
#embed "../../systemd/user/viewmodeld.service" suffix(, 0)
    }},
    {"viewmodeld.socket", (const unsigned char[]){
#embed "../../systemd/user/viewmodeld.socket" suffix(, 0)
    }},
    {NULL, NULL},
};

const struct EmbeddedFile *commandTexts(void) {
    return files;
}
