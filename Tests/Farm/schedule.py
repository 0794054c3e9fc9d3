"""Random schedules of faults. A seed makes the same schedule each time."""
from __future__ import annotations

import random
from dataclasses import dataclass, field

from farm import FAKETIME, NODES


DATABASE_FAULTS = {"lock": "unlock", "hang the database": "wake the database", "fill the disk": "free the disk", "slow the disk": "speed up the disk"}
"""The faults of a database that runs, with their ends."""
LOCKS = ["LOCK TABLE session", "LOCK TABLE session_owner", "LOCK TABLE outbox, outbox_total", "LOCK TABLE node", "LOCK TABLE session_request, session_report",
         "SELECT FROM store FOR UPDATE", "SELECT FROM session_owner FOR UPDATE", "SELECT FROM outbox_total FOR UPDATE", "SELECT FROM node FOR UPDATE"]


@dataclass(frozen=True)
class Step:
    at: float
    """Seconds after the start."""
    kind: str
    node: str = ""
    amount: float = 0

    def __str__(self):
        return " ".join(filter(None, [f"{self.at:5.1f} s", self.kind, self.node, f"{self.amount:g}" if self.amount else ""]))


@dataclass
class Schedule:
    seed: int
    lease: int = 3
    clocks: tuple[str, ...] = ()
    steps: list[Step] = field(default_factory=list)
    seconds: float = 0

    def __str__(self):
        clocks = f", clocks of {', '.join(self.clocks)}" if self.clocks else ""
        return "\n".join([f"FARM_SEED={self.seed}, lease {self.lease} s, {self.seconds:.0f} s{clocks}", *(f"  {step}" for step in self.steps)])

    @classmethod
    def random(cls, seed: int, nodes=NODES, more=("drop",), has_clocks=bool(FAKETIME), lease=3) -> Schedule:
        """`more` has the kinds of faults besides those of each schedule."""
        dice = random.Random(seed)
        schedule = cls(seed, lease)
        if has_clocks and dice.random() < 0.3:
            schedule.clocks = (dice.choice(nodes),)
        kinds = ["kill", "kill", "end", "stop", "stop", "cut", "cut", *more, "slow", "database", "database", "database", *(["clock", "clock"] if schedule.clocks else [])]
        at, free = 1.0, {each: 0.0 for each in [*nodes, "db"]}
        while at < 10:
            kind = dice.choice(kinds)
            node = schedule.clocks[0] if kind == "clock" else "db" if kind == "database" else dice.choice(nodes)
            if free[node] <= at:
                # Long enough for a take-over, or too short for one.
                length = dice.choice([dice.uniform(0.2, 2), dice.uniform(schedule.lease + 1, schedule.lease + 3)])
                free[node] = at + schedule._add(kind, node, at, length, dice) + 0.5
            at += dice.choice([dice.uniform(0, 0.3), dice.uniform(0.3, 2)])
        schedule.steps.sort(key=lambda step: step.at)
        schedule.seconds = max(11.0, *(step.at + 0.5 for step in schedule.steps))
        return schedule

    def _add(self, kind, node, at, length, dice) -> float:
        """Adds a fault with its end, and returns its length."""
        def add(after, kind, amount=0.0):
            self.steps.append(Step(round(at + after, 2), kind, node, round(amount, 3)))
        if kind == "drop":
            add(0, "drop the clients of")
            return 0
        if kind == "clock":
            add(0, "step the clock of", dice.choice([-86400, -3600, -30, -2, 2, 30, 3600, 86400]))
            return 0
        if kind == "slow":
            add(0, "delay", dice.choice([0.005, 0.02, 0.08, 0.2]))
            add(0, "lose", dice.choice([0, 0.02, 0.1]))
            add(length, "heal")
            return length
        if kind == "database":
            begin = dice.choice(["stop the database", *DATABASE_FAULTS])
            if begin == "stop the database":
                length = dice.choice([0.0, 0.0, dice.uniform(0.2, 3)])
            add(0, begin, dice.randrange(1, len(LOCKS) + 1) if begin == "lock" else 0)
            add(length, DATABASE_FAULTS.get(begin, "start the database"))
            return length + 1
        if kind == "balancer":
            add(0, "reload the balancer before")
            return 0
        if kind == "gateway":
            add(0, dice.choice(["kill", "end", "stop"]) + " the gateway of")
            add(length, "start the gateway of")
            return length + 1
        begin, end = {"kill": ("kill", "start"), "end": ("SIGTERM", "start"), "stop": ("SIGSTOP", "SIGCONT"), "cut": ("cut", "heal")}[kind]
        add(0, begin)
        add(length, end)
        return length + (1 if kind in ("kill", "end") else 0)
