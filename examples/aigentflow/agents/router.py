"""Chooses the next agent: the first of the queue, else what the last agent suggests.

usage: router.py   (the invocation comes on standard input)
"""

import json
import sys


def decide(asked):
    if asked["agentQueue"]:
        return {"next": asked["agentQueue"][0], "by": "queue", "reason": "it is the next in the queue"}
    hints = ((asked.get("lastOutput") or {}).get("routingHints") or {}).get("suggestNext") or []
    for name in hints:
        if name not in asked["completedAgents"] and name in asked["allowedAgents"]:
            return {"next": name, "by": "hints", "candidates": hints,
                    "reason": f"{asked['currentAgent']} suggests it"}
    return {"next": None, "by": "none", "reason": "no agent is left"}


if __name__ == "__main__":
    json.dump(decide(json.load(sys.stdin)["input"]), sys.stdout)
