"""Programs `opinion`, each of which answers one task after the other."""
import json
import queue
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor


class Players:
    def __init__(self, program, count, states, seconds, most):
        """`most`: seconds of processor time for one task."""
        self.command = [program, str(states), str(seconds), str(most)]
        self.count = count
        self.free = queue.Queue()
        for _ in range(count):
            self.free.put(self.start())

    def start(self):
        return subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                text=True)

    def ask(self, task):
        """The answer; {"slow": true} if it takes too long, {"died": CODE} if the program dies."""
        player = self.free.get()
        try:
            player.stdin.write(json.dumps(task) + "\n")
            player.stdin.flush()
            line = player.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            code = player.wait()
            self.free.put(self.start())
            end = {"slow": True} if code == -signal.SIGVTALRM else {"died": code}
            return {**end, "contradictions": []}
        self.free.put(player)
        return json.loads(line)

    def all(self, tasks):
        """The answers to many, in order; a few more tasks than there are programs are made before
        they are needed."""
        with ThreadPoolExecutor(self.count) as pool:
            waiting = []
            for task in tasks:
                waiting.append((task, pool.submit(self.ask, task)))
                if len(waiting) > 4 * self.count:
                    done, answer = waiting.pop(0)
                    yield done, answer.result()
            for done, answer in waiting:
                yield done, answer.result()

    def close(self):
        while not self.free.empty():
            player = self.free.get()
            player.stdin.close()
            player.wait()
            player.stdout.close()
