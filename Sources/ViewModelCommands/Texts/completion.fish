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
