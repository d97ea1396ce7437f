# shellcheck shell=bash
# Shared by the scripts: packages, configuring, building.
# Sourced by bash, after `set -eu`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build
logs=$build/logs
export LC_ALL=C.UTF-8

# A machine can have other versions of these in front of the distribution's own,
# which are the ones that come with the modules that the tests use.
export PATH="/usr/bin:/bin:$PATH"

# What is needed for what: group, Debian's package, and how to see on any other
# system that it is there.
requirements() {
    cat <<'LIST'
build  gcc                  command -v gcc
build  g++                  command -v g++
build  libc6-dev            test -e /usr/include/stdio.h
build  meson                command -v meson
build  ninja-build          command -v ninja
build  pkg-config           command -v pkg-config
build  python3              command -v python3
build  libjansson-dev       pkg-config --exists jansson
build  libsqlite3-dev       pkg-config --exists sqlite3
build  libpq-dev            pkg-config --exists libpq
build  libtomlplusplus-dev  pkg-config --exists tomlplusplus
build  libyaml-dev          pkg-config --exists yaml-0.1
build  libcurl4-openssl-dev pkg-config --exists libcurl
build  libsodium-dev        pkg-config --exists libsodium
build  libmicrohttpd-dev    pkg-config --exists libmicrohttpd
cluster postgresql          ls /usr/lib/postgresql/*/bin/postgres
test   python3-dateutil     python3 -c 'import dateutil'
test   libuv1-dev           pkg-config --exists libuv
demo   make                 command -v make
demo   git                  command -v git
demo   sqlite3              command -v sqlite3
test   make                 command -v make
test   git                  command -v git
test   sqlite3              command -v sqlite3
test   postgresql           ls /usr/lib/postgresql/*/bin/postgres
test   valgrind             command -v valgrind
venv   python3-venv         python3 -c 'import ensurepip'
sdist  python3-mesonpy      python3 -c 'import mesonpy'
sdist  git                  command -v git
wheel  binutils             command -v readelf
test   binutils             command -v readelf
test   abigail-tools        command -v abidiff
test   mandoc               command -v mandoc
test   clang-format-19      command -v clang-format-19
format clang-format-19      command -v clang-format-19
test   openssl              command -v openssl
test   ca-certificates      test -e /etc/ssl/certs/ca-certificates.crt
test   python3-jsonschema   python3 -c 'import jsonschema'
test   mypy                 command -v mypy
test   python3-pytest       python3 -c 'import pytest'
unity  cmock                unity_is_installed
deb    git                  command -v git
deb    dpkg-dev             command -v dpkg-buildpackage
deb    debhelper            command -v dh
deb    dh-python            command -v dh_python3
wasm   ninja-build          command -v ninja
wasm   python3              command -v python3
wasm   clang                command -v clang
wasm   lld                  command -v wasm-ld
wasm   wasi-libc            test -e /usr/include/wasm32-wasi/stdio.h
wasm   libclang-rt-dev-wasm32 ls /usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a
page   chromium             command -v chromium
page   nodejs               command -v node
fresh  debootstrap          test -x /usr/sbin/debootstrap
fresh  git                  command -v git
all    clang                command -v clang
all    libclang-rt-dev      true
all    doxygen              command -v doxygen
all    spin                 command -v spin
all    pgbouncer            test -x /usr/sbin/pgbouncer
all    faketime             command -v faketime
all    iproute2             command -v ip
all    npm                  command -v npm
all    cmake                command -v cmake
LIST
}

die() {
    printf '%s\n' "$@" >&2
    exit 1
}

# wrong_arguments SENTENCE: where an argument is none that the script knows.
wrong_arguments() {
    printf '%s: %s; %s --help lists them\n' "scripts/${0##*/}" "$1" "scripts/${0##*/}" >&2
    exit 2
}

# step WORDS LOG COMMAND…: one plain line now, the details in LOG, whose tail is
# shown when the command fails.
step() {
    local words=$1 log=$logs/$2 begin=$SECONDS
    shift 2
    mkdir -p "$logs"
    printf '%s … ' "$words"
    if "$@" > "$log" 2>&1 < /dev/null; then
        printf '%d s\n' $((SECONDS - begin))
    else
        printf 'failed\n'
        tail -n 40 "$log" >&2
        printf 'the whole output is in %s\n' "$log" >&2
        return 1
    fi
}

# "debian:12" and the like.
system=$(
    ID=unknown VERSION_ID=
    [ ! -r /etc/os-release ] || . /etc/os-release
    echo "$ID:$VERSION_ID"
)

is_supported() {
    [ "$system" = debian:12 ] || [ "$system" = debian:13 ]
}

unity_is_installed() {
    [ -n "${UNITY_DIR:-}" ] || [ -e /usr/share/cmock/vendor/unity/src/unity.c ] ||
        pkg-config --exists 'unity >= 2' 'unity < 5' 2> /dev/null
}

package_is_installed() {
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2> /dev/null | grep -qx installed
}

# missing_packages GROUP…: one name a line.
missing_packages() {
    local group package probe
    requirements | while read -r group package probe; do
        case " $* " in *" $group "*) ;; *) continue ;; esac
        case "$system:$package" in
            debian:12:cmock) continue ;; # not there; scripts/unity fetches it
            debian:12:libclang-rt-dev) package=libclang-rt-14-dev ;;
        esac
        # npm may have come with a nodejs of another origin, which Debian's npm would
        # not go with.
        if is_supported && [ "$package" != npm ]; then
            package_is_installed "$package"
        else
            eval "$probe" > /dev/null 2>&1
        fi || echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

install_packages() {
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
    as_root "${apt[@]}" update &&
        as_root "${apt[@]}" install -y --no-install-recommends "$@"
}

# need GROUP…: installs what is missing, or says what it is.
need() {
    local missing
    missing=$(missing_packages "$@" | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    is_supported ||
        die "This is not Debian 12 or 13, so nothing was installed. Missing, by the names" \
            "of Debian's packages: $missing" \
            "(cmock has the sources of Unity; UNITY_DIR=FOLDER names them elsewhere.)"
    [ "$(id -u)" = 0 ] || command -v sudo > /dev/null ||
        die "Neither root nor sudo. As root: apt-get install $missing"
    # shellcheck disable=SC2086
    step "installing $missing" install.log install_packages $missing || exit 1
}

# Sets `options` to those of a build with all tests, and fetches Unity where it is missing.
test_options() {
    options=(-Dbuildtype=debugoptimized -Dwerror=true)
    options+=(-Dsqlite=enabled -Dpostgres=enabled -Dexamples=enabled -Dagents=enabled -Dhosts=enabled -Dpython=enabled -Dtests=enabled)
    # Reports of sanitizers need line numbers; the rest of -g takes a sixth of the compile time.
    options+=(-Dc_args=-g1 -Dcpp_args=-g1)
    if [ -n "${UNITY_DIR:-}" ]; then
        options+=("-Dunity_dir=$UNITY_DIR")
    elif ! unity_is_installed; then
        [ -e "$build/unity/src/unity.c" ] ||
            step "fetching Unity" unity.log "$root/scripts/unity" "$build/unity" || exit 1
        options+=("-Dunity_dir=$build/unity")
    fi
}

# configure DIR OPTION…: nothing, when it was configured like this before.
configure() {
    local dir=$1 want again=()
    shift
    want="$(meson --version) $(gcc -dumpfullversion) $root $*"
    [ -e "$dir/build.ninja" ] && [ "$(cat "$dir/.configured" 2> /dev/null)" = "$want" ] &&
        return 0
    [ -e "$dir/build.ninja" ] && again=(--reconfigure)
    mkdir -p "$dir"
    step "configuring ${dir#"$root"/}" "configure-${dir##*/}.log" \
        meson setup "${again[@]}" "$dir" "$root" "$@" || exit 1
    printf '%s\n' "$want" > "$dir/.configured"
}

# What was built by other tools, or in another place, is of no use.
drop_foreign_build() {
    local tools
    tools="$(meson --version) $(gcc -dumpfullversion) $root"
    if [ -e "$build/.tools" ] && [ "$(cat "$build/.tools")" != "$tools" ]; then
        rm -rf "$build"
    fi
    mkdir -p "$build"
    printf '%s\n' "$tools" > "$build/.tools"
}

compile() {
    step "building ${1#"$root"/}" "build-${1##*/}.log" ninja -C "$1" || exit 1
}
