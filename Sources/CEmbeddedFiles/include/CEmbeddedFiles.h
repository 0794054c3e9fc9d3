#ifndef CEMBEDDEDFILES_H
#define CEMBEDDEDFILES_H

#pragma clang diagnostic ignored "-Wnullability-completeness"

/// A text file that is a part of the program.
struct EmbeddedFile {
    const char *name;
    /// The text in UTF-8, which ends with a zero.
    const unsigned char *text;
};

/// What generated clients have, whatever their contract, the templates of the rest, and the adapters. The file after the last one has no name.
const struct EmbeddedFile *clientRuntimes(void);

/// What viewmodelctl writes for a person: the files of a new package, which have `@NAME@` where packages differ, and the
/// completion scripts. The file after the last one has no name.
const struct EmbeddedFile *commandTexts(void);

/// What the gateway serves to browsers. The file after the last one has no name.
const struct EmbeddedFile *gatewayPages(void);

/// Returns the text of a file, and ends the process if no file has this name.
const char *_Nonnull embeddedText(const struct EmbeddedFile *_Nonnull files, const char *_Nonnull name);

#endif
