// The view of one section lives in the URL's fragment, "#section?p=...&q=...", so that a link shows the same view.

const START = { p: "", q: "", cell: "", class: "", said: "", find: "", sort: "", page: "1", view: "", color: "", i: "" };

function readFragment() {
  const [id, query = ""] = location.hash.slice(1).split("?", 2);
  const given = Object.fromEntries(new URLSearchParams(query));
  const known = Object.fromEntries(Object.entries(given).filter(([name]) => name in START));
  return { id: decodeURIComponent(id), state: known };
}

function writeFragment(id, state, defaults) {
  const query = new URLSearchParams();
  for (const name of Object.keys(START)) {
    if (state[name] !== defaults[name]) query.set(name, state[name]);
  }
  const text = query.toString();
  const fragment = `#${id}${text ? `?${text}` : ""}`;
  // A page inside a notebook's frame has no address of its own to change.
  if (location.protocol !== "about:") history.replaceState(null, "", fragment);
}
