#include "CEmbeddedFiles.h"

#include <stddef.h>

#pragma clang diagnostic ignored "-Wc23-extensions"  // #embed

static const struct EmbeddedFile files[] = {
    {"action-view.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/action-view.js" suffix(, 0)
    }},
    {"app-icon.svg", (const unsigned char[]){
#embed "../ViewModelGateway/Page/app-icon.svg" suffix(, 0)
    }},
    {"app-icons.svg", (const unsigned char[]){
#embed "../ViewModelGateway/Page/app-icons.svg" suffix(, 0)
    }},
    {"app.css", (const unsigned char[]){
#embed "../ViewModelGateway/Page/app.css" suffix(, 0)
    }},
    {"app.html", (const unsigned char[]){
#embed "../ViewModelGateway/Page/app.html" suffix(, 0)
    }},
    {"app.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/app.js" suffix(, 0)
    }},
    {"app.json", (const unsigned char[]){
#embed "../ViewModelGateway/Page/app.json" suffix(, 0)
    }},
    {"call-view.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/call-view.js" suffix(, 0)
    }},
    {"client.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/client.js" suffix(, 0)
    }},
    {"connection-state.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/connection-state.js" suffix(, 0)
    }},
    {"contract.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/contract.js" suffix(, 0)
    }},
    {"copy.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/copy.js" suffix(, 0)
    }},
    {"ctl.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/ctl.js" suffix(, 0)
    }},
    {"diff-view.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/diff-view.js" suffix(, 0)
    }},
    {"diff.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/diff.js" suffix(, 0)
    }},
    {"dom.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/dom.js" suffix(, 0)
    }},
    {"entrance.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/entrance.js" suffix(, 0)
    }},
    {"form-controls.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/form-controls.js" suffix(, 0)
    }},
    {"form-model.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/form-model.js" suffix(, 0)
    }},
    {"form-view.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/form-view.js" suffix(, 0)
    }},
    {"health.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/health.js" suffix(, 0)
    }},
    {"icon.svg", (const unsigned char[]){
#embed "../ViewModelGateway/Page/icon.svg" suffix(, 0)
    }},
    {"index.html", (const unsigned char[]){
#embed "../ViewModelGateway/Page/index.html" suffix(, 0)
    }},
    {"input-view.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/input-view.js" suffix(, 0)
    }},
    {"inspector.css", (const unsigned char[]){
#embed "../ViewModelGateway/Page/inspector.css" suffix(, 0)
    }},
    {"inspector.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/inspector.js" suffix(, 0)
    }},
    {"instance-view.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/instance-view.js" suffix(, 0)
    }},
    {"json.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/json.js" suffix(, 0)
    }},
    {"lines.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/lines.js" suffix(, 0)
    }},
    {"main.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/main.js" suffix(, 0)
    }},
    {"message-view.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/message-view.js" suffix(, 0)
    }},
    {"outcomes.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/outcomes.js" suffix(, 0)
    }},
    {"outputs-view.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/outputs-view.js" suffix(, 0)
    }},
    {"panels.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/panels.js" suffix(, 0)
    }},
    {"past.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/past.js" suffix(, 0)
    }},
    {"person.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/person.js" suffix(, 0)
    }},
    {"pictures.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/pictures.js" suffix(, 0)
    }},
    {"prompts.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/prompts.js" suffix(, 0)
    }},
    {"safe-text.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/safe-text.js" suffix(, 0)
    }},
    {"scenes.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/scenes.js" suffix(, 0)
    }},
    {"schema.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/schema.js" suffix(, 0)
    }},
    {"secrets.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/secrets.js" suffix(, 0)
    }},
    {"sidebar.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/sidebar.js" suffix(, 0)
    }},
    {"table.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/table.js" suffix(, 0)
    }},
    {"team.css", (const unsigned char[]){
#embed "../ViewModelGateway/Page/team.css" suffix(, 0)
    }},
    {"timeline-view.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/timeline-view.js" suffix(, 0)
    }},
    {"timeline.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/timeline.js" suffix(, 0)
    }},
    {"toasts.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/toasts.js" suffix(, 0)
    }},
    {"transcript.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/transcript.js" suffix(, 0)
    }},
    {"value-view.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/value-view.js" suffix(, 0)
    }},
    {"viewmodel-dom.js", (const unsigned char[]){
#embed "../ClientGenerators/Runtimes/viewmodel-dom.js" suffix(, 0)
    }},
    {"virtual-list.js", (const unsigned char[]){
#embed "../ViewModelGateway/Page/virtual-list.js" suffix(, 0)
    }},
    {NULL, NULL},
};

const struct EmbeddedFile *gatewayPages(void) {
    return files;
}
