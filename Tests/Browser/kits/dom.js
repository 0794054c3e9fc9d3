import { start } from "./client.js";
import { bindAction, bindField, bindRows, bindValue } from "./viewmodel-dom.js";

const { calculator, lab, sendList } = start({ session: "desk" });

const find = (css) => document.querySelector(css);
find("#app").innerHTML = `
  <section id="calculator"><output></output><button>Undo</button></section>
  <section id="send"><input /><button>Add</button><ul></ul><button>Fail</button><small></small>
    <button id="count">Count</button><button id="cancel">Cancel</button></section>
  <section id="rows"><small></small><div class="list"></div></section>`;

bindValue(find("output"), calculator, "led");
bindAction(find("#calculator button"), calculator, "undo");
bindField(find("input"), sendList, "draft");
bindAction(find("#send button"), sendList, "add");
bindAction(find("ul + button"), lab, "fail", () => [{ error: "onPurpose" }]);
// The arguments are others after a reload.
bindAction(find("#count"), lab, "count", () => [{ to: 9000 + (performance.timeOrigin % 1000 | 0), every: 20 }], { cancel: find("#cancel") });
find("#send").addEventListener("failure", ({ detail }) => (find("#send small").textContent = detail.error ?? detail.name));
bindValue(find("ul"), sendList, "items", { property: "innerHTML", text: (items) => items.map(({ text }) => `<li>${text}</li>`).join("") });

let selected;
const mark = () => document.querySelectorAll(".list [data-id]").forEach((one) => one.setAttribute("aria-selected", one.dataset.id === selected));
bindRows(find(".list"), lab, "rows", {
  render(row) {
    const one = document.createElement("div");
    one.textContent = row ? `${row.id}: ${row.text}` : "…";
    if (row) one.dataset.id = row.id;
    one.setAttribute("aria-selected", row !== undefined && one.dataset.id === selected);
    one.onclick = () => ((selected = one.dataset.id), mark());
    return one;
  },
});
