#!/usr/bin/env bash
# Installs Total Recall for this user, or brings it up to date, and takes the first steps.
#   bash scripts/setup.sh               install or upgrade, then 'totalrecall setup'
#   bash scripts/setup.sh --uninstall   remove what this script made; memory, settings and state stay
# Needs Python 3.11 or later; PYTHON=/path/to/python chooses one. Asks nothing. Works with bash 3.2.
set -eu

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
case "${XDG_DATA_HOME:-}" in
  /*) data_home=$XDG_DATA_HOME ;;
  *) data_home=$HOME/.local/share ;;
esac
app_dir=$data_home/total-recall
venv=$app_dir/venv
bin_dir=$HOME/.local/bin
link=$bin_dir/totalrecall

fail() {
  echo "error: $1" >&2
  shift
  for line in "$@"; do echo "  $line" >&2; done
  exit 78
}

usage() {
  sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
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

uninstall() {
  removed=""
  if [ -L "$link" ]; then
    case "$(readlink "$link")" in
      "$venv/bin/totalrecall")
        rm -f "$link"
        removed="$removed $link"
        ;;
    esac
  fi
  for made in "$venv" "$app_dir/sample"; do
    if [ -e "$made" ]; then
      rm -rf "$made"
      removed="$removed $made"
    fi
  done
  rmdir "$app_dir" 2>/dev/null || true
  if [ -n "$removed" ]; then
    echo "Removed:"
    for one in "$link" "$venv" "$app_dir/sample"; do
      case "$removed " in *" $one "*) echo "  $one" ;; esac
    done
  else
    echo "Nothing to remove."
  fi
  echo "Left as they are: your agents' notes (memory/ in each workspace), the settings in"
  echo "  ${XDG_CONFIG_HOME:-$HOME/.config}/total-recall and the bookkeeping in"
  echo "  ${XDG_STATE_HOME:-$HOME/.local/state}/total-recall"
  echo "Take the totalrecall lines out of your crontab (crontab -e) and of AGENTS.md yourself."
}

case "${1:-}" in
  "") ;;
  --uninstall)
    uninstall
    exit 0
    ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    echo "error: unknown argument $1" >&2
    usage >&2
    exit 2
    ;;
esac

find_python
make_writable "$app_dir" XDG_DATA_HOME
make_writable "$bin_dir" HOME
check_link
if [ -x "$venv/bin/totalrecall" ]; then
  before=$("$venv/bin/totalrecall" --version 2>/dev/null || true)
  echo "Bringing ${before:-Total Recall} in $venv up to date ..."
else
  echo "Installing Total Recall into $venv ..."
fi
make_venv
install_package
ln -sfn "$venv/bin/totalrecall" "$link"
echo "Installed $("$venv/bin/totalrecall" --version)."
echo
say_path
exec "$link" setup </dev/null
