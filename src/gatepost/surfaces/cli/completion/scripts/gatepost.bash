# Completion of gatepost for bash. Put this into ~/.bashrc:  eval "$(gatepost completion bash)"
_gatepost() {
    local word
    COMPREPLY=()
    while IFS= read -r word; do
        if [[ $word == '*files' ]]; then
            compopt -o default 2>/dev/null
        else
            COMPREPLY+=("$word")
        fi
    done < <(command gatepost __complete bash "$COMP_LINE" "$COMP_POINT" "$COMP_WORDBREAKS" 2>/dev/null)
}
complete -F _gatepost gatepost
