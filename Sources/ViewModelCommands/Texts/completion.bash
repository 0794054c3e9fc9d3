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
