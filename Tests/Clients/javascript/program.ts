// A program as a user writes it. It is compiled, not run; `@ts-expect-error` marks what must not compile.
import {
  ActionFailedError, InvalidParamsError, OutcomeUnknown, SoldOutError, connect, start,
  type Binding, type Client, type ConnectOptions, type FieldElement,
} from "./client.js";

export async function main(options: ConnectOptions, element: FieldElement): Promise<void> {
  const client: Client = await connect({ ...options, session: "desk", on: { state: (state) => console.log(state) } });
  const { calculator, lab, sendList } = client;

  const view = await calculator.bind({ outputs: ["led", "operations", "undo.enabled"] });
  const led: string = view.picture.led;
  const canUndo: boolean = view.picture["undo.enabled"];
  const texts: string[] = view.picture.operations.map((operation) => operation.text);
  // @ts-expect-error: not among the outputs
  void view.picture["undo.progress"];
  // @ts-expect-error: no such output
  await calculator.bind({ outputs: ["lod"] });
  // @ts-expect-error: pictures are not written
  view.picture.led = "7";
  console.log(led, canUndo, texts);

  for await (const picture of view) if (picture.led === "42") break;
  await view.wait((picture) => picture.led === "7", { timeout: 2000 });

  const rows = await lab.bind({ outputs: ["rows", "value"], windows: { rows: { offset: 0, limit: 20 } } });
  const count: number = rows.picture.rows.count;
  const first: string | undefined = rows.picture.rows.rows[0]?.text;
  await rows.scroll("rows", 500);
  // @ts-expect-error: no window
  await rows.scroll("value", 500);
  console.log(count, first);

  const everything = await lab.bind();
  everything.on("event", (event) => {
    if (event.output === "bell") console.log(event.value.toUpperCase());
  });
  const all: readonly { readonly id: number; readonly text: string }[] = everything.picture.rows;
  console.log(all.length);

  await calculator.press("7");
  await lab.set(5, { retry: true });
  await lab.update({ id: 1, text: "x" });
  // @ts-expect-error: a member is missing
  await lab.update({ id: 1 });
  // @ts-expect-error: a string
  await lab.set("5");
  const { sample } = await lab.read({ outputs: ["sample"] });
  await lab.setSample({ ...sample, date: new Date(), decimal: "1.50" });
  // @ts-expect-error: a date
  await lab.setSample({ ...sample, date: "2026-01-02T03:04:05Z" });
  const slept = await lab.sleep({ milliseconds: 5 }, { deadline: 100, signal: new AbortController().signal });
  console.log(slept.order + slept.slept);

  try {
    await sendList.add({ key: "k1" });
    console.log((await lab.book({ seats: 11 })).seats);
  } catch (error) {
    if (error instanceof SoldOutError) console.log(error.details.seatsLeft, error.details.nextShow.getTime());
    else if (error instanceof ActionFailedError) console.log(error.error, error.retryable, error.incident);
    else if (error instanceof InvalidParamsError) console.log(error.data.path);
    else if (error instanceof OutcomeUnknown) console.log("sent or not");
    else throw error;
  }

  const form: Binding<{ readonly draft: string }, {}, "draft"> = await sendList.bind({ outputs: ["draft"] });
  const detach = form.field("draft").attach(element);
  // @ts-expect-error: no field
  view.field("led");
  detach();

  const live: Client = start({ session: "desk" });
  const hold = live.calculator.hold({ outputs: ["led"] });
  const shown: string | undefined = hold.picture.led;
  // @ts-expect-error: it may be unknown yet
  const known: string = hold.picture.led;
  const off = live.calculator.watch("led", (text) => console.log(text.length, shown, known));
  live.lab.watch("bell", (text) => console.log(text.length));
  // @ts-expect-error: no such output
  live.lab.watch("nope", () => {});
  const list = live.lab.list("rows", { page: 50 });
  const text: string | undefined = list.at(5)?.text;
  list.on("splice", ({ at, removed, inserted }) => console.log(at + removed + inserted, list.length, text));
  off();
  await Promise.all([hold.close(), list.close(), live.close()]);

  const answer: unknown = await client.call("lab.set", { value: 1, _meta: { key: "k2" } });
  console.log(answer, client.connectionState === "connected");
  await client.close();
}
