"""What must hold after a schedule, whatever the faults were."""
from farm import SPEED
from schedule import DATABASE_FAULTS, Schedule
from workload import Notes, Writer

RECOVERY = {"cut": 10.0, "delay": 10.0, "stop the database": 10.0, "SIGSTOP": 6.0, "kill": 2.0, "SIGTERM": 2.0, **dict.fromkeys(DATABASE_FAULTS, 10.0)}
"""Seconds after the end of a fault within which its node may still be slow."""
ENDS = {"kill": "start", "SIGTERM": "start", "SIGSTOP": "SIGCONT", "cut": "heal", "delay": "heal", "stop the database": "start the database",
        **DATABASE_FAULTS}


def disturbed(schedule: Schedule, played: list[tuple[float, object]], node: str, began: float, ended: float) -> bool:
    """Whether the node, or the database, had a fault in this time, or was recovering from one."""
    open_since: dict[str, float] = {}
    for at, step in [*played, (float("inf"), None)]:
        if step and step.node not in (node, "db"):
            continue
        if step and step.kind in ENDS:
            open_since[step.kind] = at
        for kind, since in list(open_since.items()):
            if step is None or step.kind == ENDS[kind]:
                if since < ended and at + RECOVERY[kind] > began:
                    return True
                del open_since[kind]
    return False


def check_epochs(notes: Notes):
    for (session, epoch), nodes in notes.nodes_of_epoch.items():
        if len(nodes) > 1:
            notes.problem(f"{session}: the epoch {epoch} was seen on the nodes {sorted(nodes)}")


def check_attaches(notes: Notes, schedule: Schedule, played):
    """An attach on a node without a fault is answered, whatever the owner's fault is."""
    limit = 10 * (schedule.lease + 3) * SPEED
    for attach in notes.attaches:
        if disturbed(schedule, played, attach.node, attach.began, attach.ended):
            continue
        took = attach.ended - attach.began
        # The last question to the database comes on top.
        if took > limit + 1 or attach.outcome == "TooLate":
            notes.problem(f"{attach.session}: an attach on {attach.node} at {attach.began:.2f} took {took:.1f} s ({attach.outcome}); the limit is {limit} s")


def check_messages(notes: Notes, writers: list[Writer], items: dict[str, list[tuple[str, str]]]):
    """`items` has the ids and texts that each node shows."""
    reference = items["a"]
    for node, found in items.items():
        if found != reference:
            notes.problem(f"the nodes a and {node} show different messages: {len(reference)} and {len(found)}, {sorted(set(reference) ^ set(found))[:5]}")
    texts = [text for _, text in reference]
    for writer in writers:
        for operation in writer.messages:
            text, known = writer.text(operation), [id for id, each in reference if each == writer.text(operation)]
            if operation.acknowledged and operation.acknowledged not in known:
                notes.problem(f"{writer.session}: the message {text} was acknowledged as {operation.acknowledged} and is lost ({known})")
            if len(known) > 1:
                notes.problem(f"{writer.session}: the message {text} is there {len(known)} times; attempts with one key: {operation.attempts}")
            texts = [each for each in texts if each != text]
    if texts:
        notes.problem(f"messages that nobody has added: {texts[:5]}")
