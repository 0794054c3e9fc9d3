// A proxy between a client and the daemon's Unix socket. It cuts connections: at once, or at a byte of a direction.
import { createConnection, createServer } from "node:net";

export class FaultProxy {
  /** Bytes per direction that passed in all connections. */
  bytes = { up: 0, down: 0 };
  /** How many connections were cut. */
  cuts = 0;
  /** `{ direction, at }`: the next connection that reaches this byte of its direction is cut there, once. */
  fault;
  /** The milliseconds for which each part is held back. */
  delay = () => 0;
  #pairs = new Set();

  static async start(t, target, suffix = "") {
    const proxy = new FaultProxy();
    proxy.target = target;
    proxy.socket = `${target}.proxy${suffix}`;
    proxy.server = createServer({ allowHalfOpen: false }, (client) => proxy.#accept(client));
    await new Promise((resolve) => proxy.server.listen(proxy.socket, resolve));
    t.after(() => {
      proxy.cut();
      proxy.server.close();
    });
    return proxy;
  }

  #accept(client) {
    const daemon = createConnection(this.target);
    const pair = { client, daemon };
    this.#pairs.add(pair);
    const end = () => {
      this.#pairs.delete(pair);
      client.destroy();
      daemon.destroy();
    };
    const passed = { up: 0, down: 0 };
    const pass = (direction, from, to) => {
      from.on("data", (chunk) => {
        const { fault } = this;
        if (fault?.direction === direction && passed[direction] + chunk.length > fault.at) {
          this.fault = undefined;
          this.cuts += 1;
          // The part before the fault arrives; the rest does not.
          to.end(chunk.subarray(0, fault.at - passed[direction]), end);
          return;
        }
        passed[direction] += chunk.length;
        this.bytes[direction] += chunk.length;
        const write = () => to.destroyed || to.write(chunk);
        const delay = this.delay();
        if (delay === 0) return write();
        from.pause();
        setTimeout(() => (write(), from.resume()), delay);
      });
      from.on("error", end);
      from.on("close", end);
    };
    pass("up", client, daemon);
    pass("down", daemon, client);
  }

  /** Cuts all connections. */
  cut() {
    for (const { client, daemon } of [...this.#pairs]) {
      this.cuts += 1;
      client.destroy();
      daemon.destroy();
    }
  }

  /** The present connections deliver nothing from now on. */
  stall() {
    for (const { client, daemon } of this.#pairs) (client.pause(), daemon.pause());
  }
}
