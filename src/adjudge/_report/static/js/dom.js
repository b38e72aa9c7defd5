// Elements are made by name and filled with text nodes only: nothing in the data can become markup.

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function part(root, role) {
  return root.querySelector(`[data-role="${role}"]`);
}

function options(select, pairs) {
  select.replaceChildren(...pairs.map(([value, text]) => make("option", { value }, text)));
}

const LONG = 40;

function isLong(text) {
  return text.length > LONG;
}

// A long text takes a few lines of its cell: all of it is in the title, and in the detail of its instance.
function shortened(text) {
  return isLong(text) ? make("span", { class: "clamped", title: text }, text) : text;
}

function textClass(text) {
  return isLong(text) ? "text long" : "text";
}

function debounce(action, milliseconds) {
  let timer = 0;
  return (...rest) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...rest), milliseconds);
  };
}
