// A relay from WebSockets to the daemon's Unix socket, and a WebSocket for a Node that has none.
import { createHash, randomBytes } from "node:crypto";
import { createServer, request } from "node:http";
import { createConnection } from "node:net";

const accept = (key) => createHash("sha1").update(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");

function frame(opcode, payload, isMasked) {
  const size = payload.length;
  const head = size < 126 ? Buffer.alloc(2) : size < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head[0] = 0x80 | opcode;
  head[1] = size < 126 ? size : size < 65536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  if (!isMasked) return Buffer.concat([head, payload]);
  head[1] |= 0x80;
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ mask[index & 3])]);
}

/** Calls a function with the opcode and the payload of each frame. */
function frames(socket, listener) {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < 2) return;
      let size = rest[1] & 0x7f;
      let at = 2;
      if (size === 126) (size = rest.length < 4 ? Infinity : rest.readUInt16BE(2)), (at = 4);
      else if (size === 127) (size = rest.length < 10 ? Infinity : Number(rest.readBigUInt64BE(2))), (at = 10);
      const isMasked = (rest[1] & 0x80) !== 0;
      const start = at + (isMasked ? 4 : 0);
      if (rest.length < start + size) return;
      let payload = rest.subarray(start, start + size);
      if (isMasked) payload = payload.map((byte, index) => byte ^ rest[at + (index & 3)]);
      const opcode = rest[0] & 0x0f;
      rest = rest.subarray(start + size);
      listener(opcode, payload);
    }
  };
}

/**
 * Starts a relay. `url` is its address, `cut` ends its connections, and after `stall` the present ones deliver nothing. A
 * message of more bytes than `limit` is answered by a close with the code 1009.
 */
export async function relay(t, socketPath, limit = Infinity) {
  const server = createServer();
  const open = new Set();
  const stalled = new Set();
  server.on("upgrade", (message, socket) => {
    open.add(socket);
    const daemon = createConnection(socketPath);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      `Sec-WebSocket-Accept: ${accept(message.headers["sec-websocket-key"])}\r\n` +
      `Sec-WebSocket-Protocol: ${message.headers["sec-websocket-protocol"]}\r\n\r\n`);
    socket.on("data", frames(socket, (opcode, payload) => {
      if (opcode === 1 && payload.length > limit) socket.end(frame(8, Buffer.from([1009 >> 8, 1009 & 255]), false));
      else if (opcode === 1 && !stalled.has(socket)) daemon.write(payload + "\n");
      else if (opcode === 8) socket.end(frame(8, payload, false));
    }));
    let rest = "";
    daemon.setEncoding("utf8").on("data", (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) if (!stalled.has(socket)) socket.write(frame(1, Buffer.from(line), false));
    });
    const end = () => (socket.destroy(), daemon.destroy(), open.delete(socket));
    for (const one of [socket, daemon]) one.on("close", end).on("error", end);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { url: `ws://127.0.0.1:${server.address().port}/`, cut: () => open.forEach((socket) => socket.destroy()), stall: () => open.forEach((socket) => stalled.add(socket)) };
}

class MinimalWebSocket {
  constructor(url, protocols) {
    const { hostname, port, pathname } = new URL(url);
    const headers = {
      Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": randomBytes(16).toString("base64"), "Sec-WebSocket-Protocol": [protocols].flat().join(", "),
    };
    const closed = (code, reason) => this.onclose?.({ code, reason });
    request({ hostname, port, path: pathname, headers }).on("error", (error) => closed(1006, error.code))
      .on("upgrade", (response, socket, head) => {
        this.socket = socket;
        const receive = frames(socket, (opcode, payload) => {
          if (opcode === 1) this.onmessage?.({ data: payload.toString() });
          else if (opcode === 8) (code = payload.length > 1 ? payload.readUInt16BE(0) : 1005), socket.end();
        });
        let code = 1006;
        socket.on("data", receive).on("error", () => {}).on("close", () => closed(code, ""));
        this.onopen?.();
        if (head.length > 0) receive(head);
      }).end();
  }

  send(text) {
    if (!this.socket.destroyed) this.socket.write(frame(1, Buffer.from(text), true));
  }

  close() {
    this.socket?.end(frame(8, Buffer.alloc(0), true));
  }
}

globalThis.WebSocket ??= MinimalWebSocket;
