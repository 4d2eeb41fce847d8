"""Writes the scripts with which bash, zsh and fish complete words of psflip. The scripts hold tables of words and start no program."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from psflip.commands.words import FILE, FOLDER, NOTHING, SETTING, STUDY, TEXT, WORD, Command, Setting, Word

ENDINGS = ("yaml", "yml")  # of study files


@dataclass(frozen=True)
class Words:
    """All that scripts complete. Programs also complete as words after psflip."""

    commands: tuple[Command, ...]
    programs: tuple[Command, ...]
    settings: tuple[Setting, ...]

    @property
    def all(self) -> tuple[Command, ...]:
        return (*self.commands, *self.programs)

    @property
    def names(self) -> tuple[str, ...]:
        return (*(command.name for command in self.all), "help")


def entry(word: Word) -> str:
    """Returns a kind and its words, such as `word auto cpu cuda`."""
    return " ".join((word.takes, *word.choices))


def table(name: str, rows: dict[str, str]) -> str:
    """Returns an associative array of bash."""
    return f"declare -gA {name}=(\n" + "".join(f"    [{shlex.quote(key)}]={shlex.quote(text)}\n" for key, text in rows.items()) + ")\n"


BASH = """\
# Completes psflip and its programs in bash. `psflip completion bash` wrote this file. Write it again after an update of psflip.
{tables}
# _psflip_fill WORD KIND [CHOICE...]: sets COMPREPLY
_psflip_fill() {
    local word=$1 kind=$2 key
    shift 2
    case $kind in
        word) mapfile -t COMPREPLY < <(compgen -W "$*" -- "$word") ;;
        file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        folder) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
        study)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -d -- "$word"; compgen -f -X '!*.yaml' -- "$word"; compgen -f -X '!*.yml' -- "$word") ;;
        setting)
            if [[ $word == *=* ]]; then  # bash completes the text after the sign =
                key=${word%%=*}
                mapfile -t COMPREPLY < <(compgen -W "${_psflip_settings[$key]}" -- "${word#*=}")
                [[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/$key=}")
            else
                compopt -o nospace
                mapfile -t COMPREPLY < <(compgen -S = -W "${!_psflip_settings[*]}" -- "$word")
            fi ;;
    esac
}

_psflip() {
    local line=${COMP_LINE:0:COMP_POINT} word previous command place=0 i
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    COMPREPLY=()
    if [[ ${words[0]##*/} == psflip ]]; then
        if ((${#words[@]} == 2)) || { ((${#words[@]} == 3)) && [[ ${words[1]} == help ]]; }; then
            _psflip_fill "${words[-1]}" word $_psflip_commands
            return
        fi
        words=("${words[@]:1}")
    fi
    command=${words[0]##*/} word=${words[-1]} previous=${words[-2]}
    if [[ -n ${_psflip_values["$command $previous"]} ]]; then
        _psflip_fill "$word" ${_psflip_values["$command $previous"]}
    elif [[ $word == -* ]]; then
        _psflip_fill "$word" word ${_psflip_options[$command]}
    else
        for ((i = 1; i < ${#words[@]} - 1; i++)); do
            if [[ -n ${_psflip_values["$command ${words[i]}"]} ]]; then ((i++)); elif [[ ${words[i]} != -* ]]; then ((place++)); fi
        done
        _psflip_fill "$word" ${_psflip_arguments["$command $place"]:-${_psflip_arguments["$command more"]:-file}}
    fi
}
complete -F _psflip {names}
"""


def bash(words: Words) -> str:
    options = {command.name: " ".join(name for word in command.options for name in word.names) for command in words.all}
    values = {f"{command.name} {name}": entry(word) for command in words.all for word in command.options if word.takes != NOTHING for name in word.names}
    arguments = {f"{command.name} {'more' if word.many else place}": entry(word) for command in words.all for place, word in enumerate(command.arguments)}
    tables = [
        f"_psflip_commands={shlex.quote(' '.join(words.names))}\n",
        table("_psflip_options", options),
        table("_psflip_values", values),
        table("_psflip_arguments", arguments),
        table("_psflip_settings", {setting.path: " ".join(setting.choices) for setting in words.settings}),
    ]
    return BASH.replace("{tables}", "".join(tables)).replace("{names}", " ".join(["psflip", *(program.name for program in words.programs)]))


ZSH = """\
#compdef {names}
# Completes psflip and its programs in zsh. `psflip completion zsh` wrote this file. Write it again after an update of psflip.
{tables}
_psflip_setting() {
    if compset -P 1 '*='; then
        compadd -- ${=_psflip_settings[${IPREFIX%%=*}]}
    else
        compadd -S '=' -- ${(k)_psflip_settings}
    fi
}

_psflip() {
    local name=${words[1]:t}
    if [[ $name == psflip ]]; then
        shift words
        (( CURRENT-- ))
        if [[ $words[1] == help ]] && (( CURRENT == 2 )); then
            _describe command _psflip_commands
            return
        fi
        if (( CURRENT == 1 )); then
            _describe command _psflip_commands
            return
        fi
        name=$words[1]
    fi
    case $name in
{cases}        *) _files ;;
    esac
}
if [[ ${funcstack[1]} == _psflip ]]; then _psflip "$@"; else compdef _psflip {names}; fi
"""
ZSH_ACTIONS = {TEXT: " ", FILE: "_files", FOLDER: "_files -/", STUDY: '_files -g "*.(yaml|yml)"', SETTING: "_psflip_setting"}


def zsh_text(text: str, most: int = 100) -> str:
    """Returns a description for a specification of zsh, with its special letters quoted."""
    flat = " ".join(text.split())
    short = flat if len(flat) <= most else f"{flat[:most].rsplit(' ', 1)[0]} ..."
    return short.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh_action(word: Word) -> str:
    return f"({' '.join(word.choices)})" if word.takes == WORD else ZSH_ACTIONS[word.takes]


def zsh_words(command: Command) -> list[str]:
    """Returns the specifications for _arguments."""
    found = []
    for word in command.options:
        value = "" if word.takes == NOTHING else f":value:{zsh_action(word)}"
        repeated = "*" if word.takes == SETTING else ""
        found += [f"{repeated}{name}[{zsh_text(word.about)}]{value}" for name in word.names]
    for place, word in enumerate(command.arguments, 1):
        found.append(f"{'*' if word.many else place}:{zsh_text(word.about) or 'argument'}:{zsh_action(word)}")
    return found if command.arguments else [*found, "*:file:_files"]


def zsh(words: Words) -> str:
    commands = " ".join(shlex.quote(f"{command.name}:{zsh_text(command.summary)}") for command in words.all)
    settings = " ".join(f"{setting.path} {shlex.quote(' '.join(setting.choices))}" for setting in words.settings)
    tables = f"typeset -ga _psflip_commands=({commands} 'help:Prints the options of a command')\ntypeset -gA _psflip_settings=({settings})\n"
    cases = "".join(f"        {command.name}) _arguments {' '.join(map(shlex.quote, zsh_words(command)))} ;;\n" for command in words.all)
    names = " ".join(["psflip", *(program.name for program in words.programs)])
    return ZSH.replace("{tables}", tables).replace("{cases}", cases).replace("{names}", names)


FISH = """\
# Completes psflip and its programs in fish. `psflip completion fish` wrote this file. Write it again after an update of psflip.
# __psflip_at COMMAND PLACE [OPTION...]: whether an argument at this place follows; the options take values. A place below 0: options.
function __psflip_at
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]; or return 1
    set -l place 0
    set -l skip 0
    for word in $words[3..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $word $argv[3..-1]
            set skip 1
        else if not string match -q -- '-*' $word
            set place (math $place + 1)
        end
    end
    test $argv[2] -lt 0; or test $argv[2] -eq $place
end
function __psflip_first
    set -l words (commandline -opc)
    test (count $words) -eq 1; or test (count $words) -eq 2 -a "$words[2]" = help
end
complete -c psflip -f
"""
FISH_VALUES = {TEXT: "-x", FILE: "-r -F", FOLDER: "-x -a '(__fish_complete_directories)'", STUDY: "-x -a '(__fish_complete_suffix .yaml; __fish_complete_suffix .yml; __fish_complete_directories)'"}


def fish_value(word: Word, settings: Sequence[Setting]) -> str:
    if word.takes == NOTHING:
        return ""
    if word.takes == WORD:
        return f"-x -a {fish_text(' '.join(word.choices))}"
    if word.takes == SETTING:
        pairs = [f"{setting.path}={value}" for setting in settings for value in setting.choices or ("",)]
        return f"-x -a {fish_text(' '.join(pairs))}"
    return FISH_VALUES[word.takes]


def fish_text(text: str) -> str:
    return "'" + " ".join(text.split()).replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_option(word: Word) -> str:
    return " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in word.names)


def fish_lines(command: Command, settings: Sequence[Setting], alone: bool) -> list[str]:
    """Returns the lines of a command after psflip, or of a program `alone`."""
    start = f"complete -c {command.name}" if alone else "complete -c psflip"
    taking = " ".join(name for word in command.options if word.takes != NOTHING for name in word.names)

    def at(place: int) -> str:
        return "" if alone else f" -n {fish_text(f'__psflip_at {command.name} {place} {taking}'.strip())}"

    lines = [f"{start}{at(-1)} {fish_option(word)} {fish_value(word, settings)} -d {fish_text(word.about)}" for word in command.options]
    for place, word in enumerate(command.arguments):
        what = {WORD: f"-a {fish_text(' '.join(word.choices))}", TEXT: "-F"}.get(word.takes) or FISH_VALUES[word.takes].replace("-x", "-f").replace("-r ", "")
        places = range(place, place + 9) if word.many else [place]
        lines += [f"{start}{at(i)} {what}" for i in places]
    return lines


def fish(words: Words) -> str:
    lines = [f"complete -c psflip -n __psflip_first -a {command.name} -d {fish_text(command.summary)}" for command in words.all]
    lines.append("complete -c psflip -n __psflip_first -a help -d 'Prints the options of a command'")
    for command in words.all:
        lines += fish_lines(command, words.settings, alone=False)
    for program in words.programs:
        lines += fish_lines(program, words.settings, alone=True)
    return FISH + "\n".join(lines) + "\n"


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
