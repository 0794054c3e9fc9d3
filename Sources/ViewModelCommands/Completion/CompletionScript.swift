import ArgumentParser

/// A shell that completes the words of `viewmodelctl`, and the script for it.
///
/// The scripts run `viewmodelctl --complete`. It prints `files` if the shell should complete the name of a file, and then
/// the characters of the word before that name. Otherwise it prints `words` and a candidate on each line.
enum CompletionScript: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish

    /// The script.
    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        case .fish: Self.fishText
        }
    }

    // A candidate ends with a blank if the word is complete. Readline replaces the part of the word after the last
    // character in COMP_WORDBREAKS or after an open quote, so the candidates have this part only.
    //
    // A variable after --socket is exported to the program, which replaces it by its value. No script evaluates a word.
    private static let bashText = #"""
        # bash completion of viewmodelctl
        _viewmodelctl() {
            local kind reply
            local variable='--socket[ =]+"?\$\{?([A-Za-z_][A-Za-z0-9_]*)'
            COMPREPLY=()
            {
                read -r kind || return
                if [[ $kind == files && $2 == @* ]]; then
                    # Readline does not complete a file name after @.
                    while IFS= read -r reply; do
                        if [[ -d $reply ]]; then reply=$(printf '%q/' "$reply"); else reply=$(printf '%q ' "$reply"); fi
                        COMPREPLY+=("@$reply")
                    done < <(compgen -f -- "${2#@}")
                    return
                elif [[ $kind == files ]]; then
                    compopt +o nospace -o filenames
                    while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -f -- "$2")
                    return
                fi
                while IFS= read -r reply; do COMPREPLY+=("$reply"); done
            } < <(
                [[ $COMP_LINE =~ $variable ]] && export "${BASH_REMATCH[1]}"
                "${1/#\~/$HOME}" --complete bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null
            )
        }
        complete -o nospace -F _viewmodelctl viewmodelctl

        """#

    private static let zshText = #"""
        #compdef viewmodelctl
        # zsh completion of viewmodelctl
        _viewmodelctl() {
            local -a lines whole wholetexts open opentexts
            local line word
            local -a match mbegin mend
            if [[ "$words" =~ '--socket[ =]+"?\$\{?([A-Za-z_][A-Za-z0-9_]*)' ]]; then
                local -x "$match[1]=${(P)match[1]}"
            fi
            lines=("${(@f)$(_call_program words ${(q)words[1]} --complete zsh "${(@q)words[2,CURRENT]}" 2>/dev/null)}")
            if [[ $lines[1] == files ]]; then
                compset -p ${#lines[2]}
                _files
                return
            fi
            for line in "${(@)lines[2,-1]}"; do
                word=${line%%$'\t'*}
                if [[ $word == *' ' ]]; then
                    whole+=("${word% }")
                    wholetexts+=("${word% }${${line#*$'\t'}:+  -- ${line#*$'\t'}}")
                elif [[ -n $word ]]; then
                    open+=("$word")
                    opentexts+=("$word${${line#*$'\t'}:+  -- ${line#*$'\t'}}")
                fi
            done
            (( $#open )) && compadd -l -S '' -d opentexts -a open
            (( $#whole )) && compadd -l -d wholetexts -a whole
        }
        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
            _viewmodelctl "$@"
        else
            compdef _viewmodelctl viewmodelctl
        fi

        """#

    private static let fishText = #"""
        # fish completion of viewmodelctl
        function __viewmodelctl_complete
            set -l words (commandline -opc) (commandline -ct)
            set -l name (string replace -rf -- '.*--socket[ =]+"?\{?\$([A-Za-z_][A-Za-z0-9_]*).*' '$1' "$words")
            test -n "$name"; and set -lx $name $$name
            set -l lines ($words[1] --complete fish $words[2..-1] 2>/dev/null)
            if test "$lines[1]" = files
                set -l start (math 1 + (string length -- "$lines[2]"))
                for file in (__fish_complete_path (string sub -s $start -- (commandline -ct)))
                    echo "$lines[2]$file"
                end
            else
                printf '%s\n' $lines[2..-1]
            end
        end
        complete -c viewmodelctl -f -a '(__viewmodelctl_complete)'

        """#
}
