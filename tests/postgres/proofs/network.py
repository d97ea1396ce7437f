"""Hosts in network namespaces, around a router that can drop what one sends to another."""
import contextlib
import os
import subprocess

from servers import check


def ip(*words, check_it=True):
    done = subprocess.run(["ip", *map(str, words)], capture_output=True, text=True, check=False)
    check(done.returncode == 0 or not check_it, f"ip {' '.join(map(str, words))}: {done.stderr}")
    return done.returncode == 0


def is_possible():
    """It needs root, iproute2, and a kernel with namespaces."""
    with contextlib.suppress(OSError):
        name = f"wfsm{os.getpid()}-try"
        if os.getuid() == 0 and ip("netns", "add", name, check_it=False):
            return ip("netns", "del", name, check_it=False)
    return False


class Network:
    def __init__(self, stack, hosts):
        self.prefix = f"wfsm{os.getpid()}"
        self.hosts = {name: number for number, name in enumerate(hosts, 1)}
        self.rules = {}  # of the router: the priority of each
        self.made = []
        stack.callback(self.remove)
        self.add("router")
        for name in hosts:
            self.connect(name)
        subprocess.run([*self.at("router"), "sysctl", "-qw", "net.ipv4.ip_forward=1"], check=True)

    def space(self, name):
        return f"{self.prefix}-{name}"

    def at(self, name):
        """Words before a command that runs there."""
        return ["ip", "netns", "exec", self.space(name)]

    def address(self, name):
        return f"10.77.{self.hosts[name]}.2"

    def add(self, name):
        ip("netns", "add", self.space(name))
        self.made.append(name)
        ip("-n", self.space(name), "link", "set", "lo", "up")

    def connect(self, name):
        net, here, router = self.hosts[name], self.space(name), self.space("router")
        self.add(name)
        ip("link", "add", "eth0", "netns", here, "type", "veth", "peer", "name", f"to-{name}", "netns", router)
        ip("-n", here, "addr", "add", f"10.77.{net}.2/24", "dev", "eth0")
        ip("-n", here, "link", "set", "eth0", "up")
        ip("-n", router, "addr", "add", f"10.77.{net}.1/24", "dev", f"to-{name}")
        ip("-n", router, "link", "set", f"to-{name}", "up")
        ip("-n", here, "route", "add", "default", "via", f"10.77.{net}.1")

    def cut(self, sender, receiver):
        """What one sends the other is dropped, without a word to either."""
        if (sender, receiver) in self.rules:
            return
        priority = 100 + self.hosts[sender] * 10 + self.hosts[receiver]
        ip("-n", self.space("router"), "rule", "add", "from", f"{self.address(sender)}/32", "to",
           f"{self.address(receiver)}/32", "blackhole", "priority", priority)
        self.rules[sender, receiver] = priority

    def part(self, some, others):
        """These and those do not hear each other."""
        for one in some:
            for other in others:
                self.cut(one, other)
                self.cut(other, one)

    def heal(self):
        for priority in self.rules.values():
            ip("-n", self.space("router"), "rule", "del", "priority", priority)
        self.rules = {}

    def remove(self):
        for name in self.made:
            ip("netns", "del", self.space(name), check_it=False)
