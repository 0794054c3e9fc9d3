"""Random faults while clients work. Afterwards nothing that was acknowledged is lost or done twice."""
import contextlib
import os
import signal
import time

import pytest
from checker import check_attaches, check_epochs, check_messages
from farm import SPEED
from hooks import figure
from schedule import LOCKS, Schedule
from wire import Client, wait_until
from workload import Mover, Notes, Watcher, Worker, Writer

SCHEDULES = int(os.environ.get("FARM_SCHEDULES") or 10)
SEED = int(os.environ["FARM_SEED"])
SESSIONS = 3


class Player:
    """Plays the steps of a schedule."""

    def __init__(self, farm, schedule: Schedule, notes: Notes):
        self.farm, self.schedule, self.notes = farm, schedule, notes
        self.played = []
        """The steps with the times at which they happened."""
        self.slow = {}

    def play(self):
        for step in self.schedule.steps:
            time.sleep(max(0, step.at - self.notes.now))
            self.notes.say(f"== {step.kind} {step.node} {step.amount or ''}")
            at = self.notes.now
            self.do(step)
            # The start of a fault counts from its beginning, and its end from the moment at which it is over.
            self.played.append((self.notes.now if step.kind in ("start", "start the database") else at, step))
        time.sleep(max(0, self.schedule.seconds - self.notes.now))

    def do(self, step):
        node = self.farm.nodes.get(step.node)
        match step.kind:
            case "kill":
                node.kill()
            case "SIGTERM":
                node.process.send_signal(signal.SIGTERM)
            case "start":
                if node.process.poll() is None:
                    # A database that hangs delays the last saves.
                    code = node.process.wait(30 * SPEED)
                    if code != 0:
                        self.notes.problem(f"{node} ended with {code} after SIGTERM")
                # Without the database it ends with 73, and `mend` starts it again.
                node.launch()
            case "SIGSTOP":
                node.process.send_signal(signal.SIGSTOP)
            case "SIGCONT":
                node.resume()
            case "cut":
                self.farm.network.cut(step.node)
            case "heal":
                self.farm.network.heal(step.node)
            case "delay":
                self.slow[step.node] = step.amount
                self.farm.network.impair(step.node, delay=step.amount, jitter=step.amount)
            case "lose":
                self.farm.network.impair(step.node, delay=self.slow[step.node], jitter=self.slow[step.node], loss=step.amount)
            case "step the clock of":
                node.step_clock(step.amount)
            case "drop the clients of":
                for worker in self.workers:
                    if worker.node is node and (client := worker.client):
                        with contextlib.suppress(OSError):
                            client.socket.shutdown(2)
            case "stop the database":
                self.farm.server.stop()
            case "start the database":
                self.farm.server.start()
            case "lock":
                self.farm.lock(LOCKS[int(step.amount) - 1])
            case "unlock":
                self.farm.unlock()
            case "hang the database":
                self.farm.server.hang()
            case "wake the database":
                self.farm.server.wake()
            case "fill the disk":
                self.farm.server.fill_disk()
            case "free the disk":
                self.farm.server.free_disk()
            case "slow the disk":
                self.farm.server.delay_commits(100_000)
            case "speed up the disk":
                self.farm.server.delay_commits(None)
            case _:
                raise AssertionError(step)

    def mend(self):
        """Ends all faults, and starts each node that is not running."""
        self.farm.heal()
        for node in self.farm:
            node.resume()
            if not node.is_alive and node.process.returncode not in (0, 73, -signal.SIGKILL):
                self.notes.problem(f"{node} ended with {node.process.returncode}: {node.last_words}")
            if not node.is_alive:
                node.launch()

        def ready():
            for node in self.farm:
                if not node.is_alive and node.process.returncode == 73:
                    node.launch()
            try:
                return all(node.is_healthy for node in self.farm)
            except (OSError, AssertionError):
                return False
        wait_until(ready, "healthy nodes after the schedule", 25 * SPEED, pause=0.1)


def finish(writer: Writer, lease):
    """The session comes within the lease and 3 seconds. The writer finds out how its last action has ended."""
    writer.leave()
    writer.wish = None

    def work():
        while writer.pending:
            writer.act(*writer.pending)
        writer.write()
        writer.act("scene", writer.another_scene())
        writer.input("calculator.press", "1")
        writer.attached(None)
    writer.surely(work, move=True, patience=10 * (lease + 5) * SPEED)


def messages(node):
    with Client(node.socket) as client:
        return [(item["id"], item["text"]) for item in client.value("sendList", "items")]


class Crew:
    """The clients of a schedule."""

    def __init__(self, notes: Notes, writers: list[Writer], watchers: list[Watcher], movers: list[Mover]):
        self.notes, self.writers, self.watchers, self.movers = notes, writers, watchers, movers
        self.all: list[Worker] = [*writers, *watchers, *movers]

    def start(self):
        for worker in self.writers:
            worker.start()
        time.sleep(0.3)
        for worker in [*self.watchers, *self.movers]:
            worker.start()

    def wait_for_more(self):
        """Waits until each writer that has more to do has got another acknowledgement."""
        before = [writer.acknowledged for writer in self.writers]
        wait_until(lambda: all(writer.acknowledged > then or not writer.has_more for writer, then in zip(self.writers, before)),
                   "each writer goes on", 20 * SPEED, pause=0.05)

    def settle(self, lease):
        """Ends the work after the faults, and compares what the watchers have."""
        for worker in [*self.writers, *self.movers]:
            worker.over.set()
        for worker in [*self.writers, *self.movers]:
            worker.join(20 * SPEED)
            assert not worker.is_alive(), f"{worker.name} hangs"
        for writer in self.writers:
            finish(writer, lease)
        wait_until(lambda: all(watcher.epoch == writer.epoch and len(watcher.pictures) == 3 for watcher, writer in zip(self.watchers, self.writers)),
                   "the watchers at their sessions", 10 * SPEED, pause=0.05)
        for writer in self.writers:
            writer.surely(lambda: (writer.input("calculator.press", "2"), writer.write()), move=True)
        time.sleep(0.3)
        for worker in self.watchers:
            worker.over.set()
        for worker in self.watchers:
            worker.join(10)
            worker.surely(worker.compare)

    def agree(self, read) -> dict:
        """The messages that each node shows, once all show the same or after some time."""
        items = {}

        def same():
            items.update(read())
            return all(found == items["a"] for found in items.values())
        with contextlib.suppress(AssertionError):
            wait_until(same, "the same messages on all nodes", 7 * SPEED, pause=0.2)
        return items

    @contextlib.contextmanager
    def working(self, what, again="", least=5):
        """Starts the clients for its body, and fails with all that they have noted, or with fewer acknowledged actions."""
        try:
            self.start()
            yield
        except Exception as error:
            self.notes.problem(f"{type(error).__name__}: {str(error)[:1500]}")
        finally:
            for worker in self.all:
                worker.over.set()
                worker.leave()
        operations = [each for writer in self.writers for each in [*writer.scenes, *writer.messages]]
        acknowledged = sum(writer.acknowledged for writer in self.writers)
        figure(f"{what}: {self.notes.now:.0f} s, {acknowledged} acknowledged actions, {sum(len(each.attempts) > 1 for each in operations)} repeated, "
               f"{len(self.notes.attaches)} attaches, {len(self.notes.nodes_of_epoch)} lives of {len(self.writers)} sessions")
        if self.notes.problems:
            print("\n".join(self.notes.lines[-400:]))
            problems = "\n".join(self.notes.problems[:12])
            pytest.fail(f"{len(self.notes.problems)} problems:\n{problems}\n{again}", pytrace=False)
        assert acknowledged >= least, "the clients hardly worked"


@pytest.mark.limit(120)
@pytest.mark.parametrize("number", range(SCHEDULES))
def test_a_schedule(make_farm, number):
    schedule = Schedule.random(SEED + number)
    print(schedule)
    farm = make_farm(lease=schedule.lease, clocks=schedule.clocks)
    notes = Notes()
    sessions = [f"s{each}" for each in range(SESSIONS)]
    seeds = [SEED + number + 1000 * each for each in range(1, 100)]
    crew = Crew(notes, [Writer(f"writer {name}", farm, notes, name, seeds.pop()) for name in sessions],
                [Watcher(f"watcher {name}", farm, notes, name, seeds.pop()) for name in sessions], [Mover("mover", farm, notes, sessions, seeds.pop())])
    player = Player(farm, schedule, notes)
    player.workers = crew.all
    with crew.working(f"schedule {schedule.seed}: {len(schedule.steps)} steps", f"{schedule}\nagain: FARM_SEED={schedule.seed} FARM_SCHEDULES=1"):
        player.play()
        player.mend()
        crew.settle(schedule.lease)
        check_messages(notes, crew.writers, crew.agree(lambda: {node.name: messages(node) for node in farm}))
        check_epochs(notes)
        check_attaches(notes, schedule, player.played)
