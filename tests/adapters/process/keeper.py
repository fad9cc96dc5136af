"""Speaks the node protocol, counts its lives on the disk, and writes to the outside resource as the leader.

With "never" as its argument it does not sync, with "fills" it puts more than there is room for, and with "says-not" it
does not say that it writes.
"""

import json
import sys

how = sys.argv[1] if len(sys.argv) > 1 else "well"


def begin(told):
    lives = int(told["start"].get("disk", {}).get("lives", "0")) + 1
    acts = [{"put": {"key": "lives", "value": str(lives)}}, {"log": {"text": "life", "value": lives}}]
    if how == "fills":
        return {"do": [{"put": {"key": "much", "value": "x" * 900_000}}], "wake": told["mono"]}
    if how != "never":
        acts.append({"sync": {"id": 9}})
    acts += [{"believe": {"open": True, "token": lives}}, {"write": {"id": 1}}]
    if lives > 1:
        acts.append({"write": {"id": 2, "token": lives - 1}})
    return {"do": acts}


def answer(told):
    if "describe" in told:
        return {"tenure": 1, "name": "keeper", "tokens": True, "writes": how != "says-not"}
    if "start" in told:
        return begin(told)
    if "wake" in told:
        return {"do": [{"put": {"key": "more", "value": "x" * 200_000}}]}
    if "synced" in told:
        return {"do": [{"log": {"text": "synced", "value": told["synced"]["id"]}}]}
    if "written" in told:
        return {"do": [{"log": {"text": told["written"]["result"], "value": told["written"]["id"]}}]}
    return {"do": [{"stopped": {}}]} if "stop" in told else {}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
