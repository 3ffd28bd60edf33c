#!/usr/bin/env bash
# Installs Total Recall for this user, or brings it up to date, and takes the first steps.
#   bash scripts/setup.sh [OPTION ...]  install or upgrade, then 'totalrecall setup [OPTION ...]', which asks
#                                       on a terminal only; --yes: all of it, --service, --openclaw: parts
#   bash scripts/setup.sh --uninstall   remove service, OpenClaw part and program; notes and settings stay
# Needs Python 3.11 or later; PYTHON=/path/to/python chooses one. Works with bash 3.2, and read from a pipe
# where it is started in the folder of the sources.
set -eu

script=${BASH_SOURCE[0]:-}
if [ -f "$script" ]; then
  source_dir=$(cd "$(dirname "$script")/.." && pwd -P)
else
  script=""
  source_dir=$(pwd -P)
fi
case "${XDG_DATA_HOME:-}" in
  /*) data_home=$XDG_DATA_HOME ;;
  *) data_home=$HOME/.local/share ;;
esac
app_dir=$data_home/total-recall
venv=$app_dir/venv
bin_dir=$HOME/.local/bin
link=$bin_dir/totalrecall
state_link=$bin_dir/session-state

fail() {
  echo "error: $1" >&2
  shift
  for line in "$@"; do echo "  $line" >&2; done
  exit 78
}

usage() {
  if [ -n "$script" ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$script"
  else
    echo "bash scripts/setup.sh [--uninstall] [options of 'totalrecall setup']"
  fi
}

check_options() {
  value=""
  for one in "$@"; do
    case "$value$one" in
      --yes | --service | --no-service | --openclaw | --no-openclaw | --key-stdin | --key-env | --sample) ;;
      --agent) value="of --agent: " ;;
      "of --agent: "*) value="" ;;
      *)
        echo "error: unknown argument $one" >&2
        usage >&2
        exit 2
        ;;
    esac
  done
}

check_source() {
  if [ ! -f "$source_dir/pyproject.toml" ] || [ ! -f "$source_dir/totalrecall/__main__.py" ]; then
    fail "The sources of Total Recall are not in $source_dir." \
      "Get them (git clone), go into their folder, and run:  bash scripts/setup.sh"
  fi
}

new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
  if [ -n "${PYTHON:-}" ]; then
    new_enough "$PYTHON" || fail "PYTHON=$PYTHON is no Python 3.11 or later."
    python=$PYTHON
    return
  fi
  for candidate in python3 python3.13 python3.12 python3.11 python3.14; do
    if command -v "$candidate" >/dev/null 2>&1 && new_enough "$candidate"; then
      python=$(command -v "$candidate")
      return
    fi
  done
  found=$(python3 --version 2>/dev/null || echo "no Python 3 at all")
  fail "Python 3.11 or later is needed; found $found." \
    "Debian 12, Ubuntu 24.04 and later:  sudo apt install python3 python3-venv" \
    "macOS:  brew install python" \
    "Then run this again, or name one:  PYTHON=/path/to/python3 bash scripts/setup.sh"
}

make_writable() {
  if ! mkdir -p "$1" 2>/dev/null || [ ! -w "$1" ]; then
    fail "$1 cannot be written." "Make it yours (ls -ld \"$1\"), or set $2 to another folder."
  fi
}

make_venv() {
  if [ -x "$venv/bin/python" ] && new_enough "$venv/bin/python" &&
    "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    return
  fi
  if ! "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    fail "$python has no venv module (or no ensurepip), so no private environment can be made." \
      "Debian and Ubuntu:  sudo apt install python$version-venv"
  fi
  rm -rf "$venv"
  if ! output=$("$python" -m venv "$venv" 2>&1); then
    rm -rf "$venv"
    fail "The private environment could not be made in $venv." "$output"
  fi
}

install_package() {
  # From a folder pip always installs anew, even at the same version. Dependencies are kept if they fit.
  if ! output=$("$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
    "$source_dir" 2>&1); then
    fail "Total Recall could not be installed. What pip said:" "$output" \
      "Is the network up? Run this again once it is."
  fi
}

check_link() {
  if [ -e "$link" ] || [ -L "$link" ]; then
    if [ ! -L "$link" ]; then
      fail "$link exists and is not ours." "Move it away, then run this again."
    fi
    case "$(readlink "$link")" in
      */total-recall/venv/bin/totalrecall) ;;
      *) fail "$link points to $(readlink "$link"), which is not ours." "Move it away, then run this again." ;;
    esac
  fi
}

say_path() {
  case ":$PATH:" in
    *":$bin_dir:"*) return ;;
  esac
  profile=~/.profile
  case "${SHELL:-}" in
    */zsh) profile=~/.zshrc ;;
    */bash) profile=~/.bashrc ;;
  esac
  echo "$bin_dir is not on your PATH. To call 'totalrecall' by its name, put it there:"
  echo "  echo 'export PATH=\"\$HOME/.local/bin:\$PATH\"' >> $profile"
  echo "and open a new terminal. Until then:  $link"
  echo
}

# What is left to do where the program itself cannot run any more (its Python is gone).
uninstall_by_hand() {
  removed=""
  unit=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/total-recall.service
  plist=$HOME/Library/LaunchAgents/com.totalrecall.agent.plist
  if [ -f "$unit" ]; then
    systemctl --user disable --now total-recall.service >/dev/null 2>&1 || true
    rm -f "$unit" "$(dirname "$unit")/default.target.wants/total-recall.service"
    systemctl --user daemon-reload >/dev/null 2>&1 || true
    removed=$unit
  fi
  if [ -f "$plist" ]; then
    launchctl bootout "gui/$(id -u)/com.totalrecall.agent" >/dev/null 2>&1 || true
    rm -f "$plist"
    removed=$plist
  fi
  if [ -L "$link" ] && [ "$(readlink "$link")" = "$venv/bin/totalrecall" ]; then
    rm -f "$link"
    removed="$removed $link"
  fi
  if [ -L "$state_link" ] && [ "$(readlink "$state_link")" = "$venv/bin/session-state" ]; then
    rm -f "$state_link"
    removed="$removed $state_link"
  fi
  for made in "$venv" "$app_dir/sample"; do
    if [ -e "$made" ]; then
      rm -rf "$made"
      removed="$removed $made"
    fi
  done
  rmdir "$app_dir" 2>/dev/null || true
  if [ -z "$removed" ]; then
    echo "Nothing to remove."
  else
    echo "Removed the program and its service. It could not run any more, so what it put beside OpenClaw is"
    echo "still there: install it again, then uninstall, or remove the 'totalrecall' hook and skill by hand."
  fi
  echo "Left as they are: your agents' notes (memory/ in each workspace), the settings in"
  echo "  ${XDG_CONFIG_HOME:-$HOME/.config}/total-recall and the bookkeeping in"
  echo "  ${XDG_STATE_HOME:-$HOME/.local/state}/total-recall"
}

uninstall() {
  if [ -x "$venv/bin/totalrecall" ] && "$venv/bin/totalrecall" --version >/dev/null 2>&1; then
    exec "$venv/bin/totalrecall" setup --uninstall "$@"
  fi
  uninstall_by_hand
}

# A service that runs is to run the new program.
renew_service() {
  if "$link" service status --json </dev/null 2>/dev/null | grep -q '"installed": true'; then
    "$link" service install </dev/null || true
    echo
  fi
}

# Read as a whole before anything runs: where the script comes through a pipe, no program in it may take
# the rest of it for its own input.
main() {
  case "${1:-}" in
    --uninstall)
      shift
      uninstall "$@"
      exit 0
      ;;
    -h | --help)
      usage
      exit 0
      ;;
  esac
  check_options "$@"
  check_source
  find_python
  make_writable "$app_dir" XDG_DATA_HOME
  make_writable "$bin_dir" HOME
  check_link
  upgrade=""
  if [ -x "$venv/bin/totalrecall" ]; then
    upgrade=yes
    before=$("$venv/bin/totalrecall" --version 2>/dev/null </dev/null || true)
    echo "Bringing ${before:-Total Recall} in $venv up to date ..."
  else
    echo "Installing Total Recall into $venv ..."
  fi
  make_venv </dev/null
  install_package </dev/null
  ln -sfn "$venv/bin/totalrecall" "$link"
  # Somebody else's program of that name stays; 'totalrecall state' is the same.
  if [ ! -e "$state_link" ] || [ "$(readlink "$state_link")" = "$venv/bin/session-state" ]; then
    ln -sfn "$venv/bin/session-state" "$state_link"
  fi
  echo "Installed $("$venv/bin/totalrecall" --version </dev/null)."
  echo
  say_path
  if [ -n "$upgrade" ]; then renew_service; fi
  if [ -n "$script" ]; then
    exec "$link" setup "$@"
  elif [ -t 1 ] && (: </dev/tty) 2>/dev/null; then
    exec "$link" setup "$@" </dev/tty
  else
    exec "$link" setup "$@" </dev/null
  fi
}

main "$@"
