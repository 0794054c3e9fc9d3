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
