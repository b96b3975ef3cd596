# Completion of gatepost for fish. Save it once:
#   gatepost completion fish > ~/.config/fish/completions/gatepost.fish
function __gatepost_complete
    command -q gatepost; or return
    set -l before (commandline -opc)
    set -e before[1]
    set -l current (commandline -ct)
    set -l found (command gatepost __complete fish $before "$current" 2>/dev/null)
    if test "$found[1]" = '*files'
        __fish_complete_path "$current"
    else if set -q found[1]
        printf '%s\n' $found
    end
end
complete -c gatepost -f -k -a '(__gatepost_complete)'
