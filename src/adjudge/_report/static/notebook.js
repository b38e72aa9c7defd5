// The page in a frame of its own, as anywidget renders it: asks the page which instances are selected, and tells the kernel.
export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    frame.title = "adjudge report";
    frame.setAttribute("sandbox", "allow-scripts allow-downloads");
    frame.style.cssText = "display: block; box-sizing: border-box; width: 100%; height: 48rem; border: 1px solid #8886";
    const hear = ({ source, data }) => {
      if (source !== frame.contentWindow || !(data?.selected instanceof ArrayBuffer)) return;
      model.set("selected", new DataView(data.selected));
      model.save_changes();
    };
    addEventListener("message", hear);
    frame.addEventListener("load", () => frame.contentWindow.postMessage("adjudge: selected", "*"));
    frame.srcdoc = model.get("page");
    el.append(frame);
    return () => removeEventListener("message", hear);
  },
};
