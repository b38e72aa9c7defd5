#!/usr/bin/env bash
# Installs Chromium and its driver through apt, and axe-core through npm, unless they are there. Fails, and says why, where
# that cannot be done.
set -u
found() { command -v "$1" >/dev/null 2>&1; }
browser() { { found chromium || found google-chrome; } && found chromedriver; }
refuse() { echo "browser tests: $1" >&2; exit 1; }
cd "$(dirname "$0")" || exit 1
if [ ! -f node_modules/axe-core/axe.min.js ]; then
  found npm || refuse "installing axe-core needs npm"
  npm ci --silent --no-audit --no-fund >&2 || refuse "npm could not install axe-core"
fi
browser && exit 0
found apt-get || refuse "there is no chromium with chromedriver, and no apt-get to install them"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  found sudo && sudo -n true 2>/dev/null || refuse "installing chromium needs root: run apt-get install chromium chromium-driver"
  as_root=(sudo -n)
fi
export DEBIAN_FRONTEND=noninteractive
apt() { timeout 600 "${as_root[@]}" apt-get -qq -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 "$@" >&2; }
apt update || echo "browser tests: apt-get update failed; trying with the lists that are there" >&2
apt install -y --no-install-recommends chromium chromium-driver fonts-dejavu-core ||
  refuse "apt-get could not install chromium and chromium-driver"
browser || refuse "chromium or chromedriver is still not on the PATH"
