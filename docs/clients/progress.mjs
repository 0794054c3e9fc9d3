// Runs an action of the daemon with a progress bar, in Node without a package. Ctrl-C cancels the action.
// It shows: an action and its outputs, frames before the reply, cancellation, errors, a lost connection.
// Run it: VIEWMODELD_SOCKET=/path/to/vm.sock node progress.mjs [TO [MILLISECONDS]]
import { connect } from "node:net";
const [to = 20, every = 50] = process.argv.slice(2).map(Number);
const daemon = connect(process.env.VIEWMODELD_SOCKET);
const waiting = new Map(), picture = {};
let last = 0, rest = "";

const send = (message) => daemon.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const call = (method, params) => (send({ id: ++last, method, params }),
  new Promise((resolve, reject) => waiting.set(last, { resolve, reject })));
const show = (values) => {
  const { "count.progress": progress, value } = Object.assign(picture, values);
  console.log(`[${"#".repeat(20 * (progress ?? 0)).padEnd(20)}] ${value}`);
};
daemon.setEncoding("utf8").on("data", (data) => {
  const lines = (rest + data).split("\n");
  rest = lines.pop(); // The beginning of the next line.
  for (const { id, method, params, result, error } of lines.map((line) => JSON.parse(line))) {
    if (method === "viewModel.changed") show(params.values);
    error ? waiting.get(id)?.reject(error) : waiting.get(id)?.resolve(result); // A notification has no id.
  }
});
daemon.on("error", ({ message }) => console.log(message));
daemon.on("close", () => waiting.forEach(({ reject }) => reject({ message: "The connection is lost" })));
process.on("SIGINT", () => send({ method: "$/cancelRequest", params: { id: last } }));

try {
  await call("session.attach", { session: "desk" });
  await call("lab.set", [0]);
  show((await call("viewModel.bind", { id: "lab", outputs: ["value", "count.progress"] })).values);
  await call("lab.count", { to, every });
  console.log("done");
} catch ({ code, message, data }) {
  console.log(code === -32800 ? "cancelled" : message, data ?? "");
  process.exitCode = 1;
}
daemon.end();
