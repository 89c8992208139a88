#!/usr/bin/env bash
# Installs manual pages and completions of the program below $PREFIX.
set -euo pipefail

man=$PREFIX/share/man/man1
mkdir -p "$man" "$PREFIX"/share/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
subsolid man > "$man/subsolid.1"
for command in $(subsolid --help | awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on && /^  [a-z]/ { print $1 }'); do
    [ "$command" = help ] || subsolid man "$command" > "$man/subsolid-$command.1"
done
subsolid completions bash > "$PREFIX/share/bash-completion/completions/subsolid"
subsolid completions zsh > "$PREFIX/share/zsh/site-functions/_subsolid"
subsolid completions fish > "$PREFIX/share/fish/vendor_completions.d/subsolid.fish"
