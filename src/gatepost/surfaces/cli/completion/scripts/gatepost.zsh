#compdef gatepost
# Completion of gatepost for zsh. Put this into ~/.zshrc, below compinit:  eval "$(gatepost completion zsh)"
# or save it as _gatepost in a folder of $fpath.
_gatepost() {
    local -a found shown before
    local word about
    before=("${(@Q)words[2,CURRENT-1]}")
    while IFS=$'\t' read -r word about; do
        found+=("$word")
        shown+=("${word}${about:+  -- $about}")
    done < <(command gatepost __complete zsh "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)
    if [[ ${found[1]} == '*files' ]]; then
        _files
        return
    fi
    compadd -V gatepost -l -d shown -a found
}
if [[ ${funcstack[1]} == _gatepost ]]; then
    _gatepost "$@"
else
    compdef _gatepost gatepost
fi
