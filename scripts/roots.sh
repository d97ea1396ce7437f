# shellcheck shell=bash
# New minimal Debians in folders, for scripts/fresh and scripts/deb. Sourced after lib.sh.
#
# Everything is mounted in a mount namespace of its own. However the command ends, nothing stays
# mounted, and removing a root cannot reach the machine's own /proc and /dev.

# The mirror that this machine uses itself.
debian_mirror() {
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' |
        grep -v security | head -n 1
}

release_name() {
    case $1 in
        12 | bookworm) echo bookworm ;;
        13 | trixie) echo trixie ;;
        *) return 1 ;;
    esac
}

# make_root FOLDER RELEASE [OPTION OF DEBOOTSTRAP…]
make_root() {
    local folder=$1 release=$2 mirror
    shift 2
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || { echo "apt on this machine has no mirror of Debian" >&2; return 1; }
    drop_root "$folder" && as_root mkdir -p "$folder" &&
        as_root unshare --mount \
            debootstrap --variant=minbase "$@" "$release" "$folder" "$mirror" &&
        as_root cp /etc/resolv.conf "$folder/etc/resolv.conf" &&
        echo '127.0.0.1 localhost' | as_root tee "$folder/etc/hosts" > /dev/null &&
        same_proxy | as_root tee "$folder/etc/apt/apt.conf.d/90proxy" > /dev/null
}

# Where this machine's apt has to go through a proxy, the root's has to as well.
same_proxy() {
    apt-config dump | grep -E '^Acquire::https?::Proxy' || true
}

# Ends what still runs in it, which is so when the script was interrupted.
drop_root() {
    local process
    case $1 in
        "$build"/?*) ;;
        *) die "$1 is not below $build, so it is no root of these scripts" ;;
    esac
    for process in /proc/[0-9]*; do
        [[ $(readlink "$process/root") != "$1"?(/*) ]] || as_root kill -9 "${process#/proc/}" ||
            true
    done 2> /dev/null
    as_root rm -rf --one-file-system "$1"
}

# in_root FOLDER COMMAND…: as root, with nothing of this machine's environment. What the
# command leaves running ends with it.
in_root() {
    as_root unshare --mount --pid --fork --kill-child sh -eu -c '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mkdir -p "$root/dev/shm" "$root/dev/pts"
        mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
        mount -t devpts -o ptmxmode=666 pts "$root/dev/pts"
        # This shell stays: it is process 1 there, and buries what loses its parent.
        code=0
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
            ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
            ${no_proxy:+"no_proxy=$no_proxy"} chroot "$root" "$@" || code=$?
        exit $code' in_root "$@"
}
