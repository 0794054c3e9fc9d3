/** The stack of the coordinator as breadcrumbs. */
import { button, fill, h, setDisabled } from "./dom.js";
import { stringify } from "./json.js";
import { brief } from "./safe-text.js";
import { toast } from "./toasts.js";

export class Scenes {
	#off = () => {};

	/** @param {(instance: string) => void} select shows the instance of a scene */
	constructor(element, isAllowed, select) {
		Object.assign(this, { element, isAllowed, select, list: h("ol", { tabindex: 0, label: "Scenes" }) });
		const back = () =>
			this.binding.viewModel.connection.request("coordinator.back").catch((error) => toast(error.message, "error", "Back"));
		this.back = button(".small", "Back", back);
		fill(element, this.back, this.list);
	}

	follow(binding) {
		this.stop();
		this.binding = binding;
		this.#off = binding.on("picture", () => this.#show());
		this.#show();
	}

	stop() {
		this.#off();
		this.element.hidden = true;
	}

	#show() {
		const { scenes = [], "back.enabled": canGoBack } = this.binding.picture;
		this.element.hidden = scenes.length < 2;
		setDisabled(this.back, !this.isAllowed || !canGoBack);
		fill(
			this.list,
			scenes.map(({ scene, style, instance, arguments: values }, index) => {
				const current = { "aria-current": index === scenes.length - 1 && "page" };
				return h(
					`li.${style}`,
					{ title: brief(`${style} ${stringify(values)}`, 200), "data-scene": scene },
					instance ? button(".link", scene, () => this.select(instance), current) : h("span", current, scene),
				);
			}),
		);
		this.list.scrollLeft = this.list.scrollWidth;
	}
}
