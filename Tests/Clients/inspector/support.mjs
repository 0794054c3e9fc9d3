// The modules of the page, beside the runtime that a gateway serves with them.
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const sources = fileURLToPath(new URL("../../../Sources/", import.meta.url));
export const page = join(sources, "ViewModelGateway/Page");
export const runtime = join(sources, "ClientGenerators/Runtimes/viewmodel.js");

const folder = mkdtempSync(join(tmpdir(), "viewmodel-inspector-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "package.json"), '{"type":"module"}');

for (const name of readdirSync(page)) copyFileSync(join(page, name), join(folder, name));
copyFileSync(runtime, join(folder, "viewmodel.js"));

/** Imports a module of the page. */
export const load = (name) => import(pathToFileURL(join(folder, name)).href);

/** The files of the page: `[name, text]`. */
export const files = () => readdirSync(page).map((name) => [name, readFileSync(join(page, name), "utf8")]);
