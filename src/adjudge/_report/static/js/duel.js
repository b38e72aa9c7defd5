// The head-to-head of a chosen pair: the matrix, the measures, the classes. Results are read, not computed, except for
// the counts by class, which are sums over the instances.

function showPair(root, pair) {
  for (const box of root.querySelectorAll("[data-cell]")) {
    const count = pair.counts[box.dataset.cell];
    part(box, "count").textContent = showCount(count);
    part(box, "share").textContent = pair.shares[box.dataset.cell];
  }
  const { both_right, right_wrong, wrong_right, both_wrong } = pair.counts;
  const sums = {
    "primary-right": both_right + right_wrong,
    "primary-wrong": wrong_right + both_wrong,
    "alternative-right": both_right + wrong_right,
    "alternative-wrong": right_wrong + both_wrong,
  };
  for (const [role, sum] of Object.entries(sums)) part(root, role).textContent = showCount(sum);
  for (const name of root.querySelectorAll('[data-role="primary"]')) name.textContent = pair.primary;
  for (const name of root.querySelectorAll('[data-role="alternative"]')) name.textContent = pair.alternative;
  for (const row of root.querySelectorAll("[data-measure]")) {
    for (const [role, text] of Object.entries(pair.measures[row.dataset.measure])) part(row, role).textContent = text;
  }
  if (pair.test) part(root, "p-value").textContent = pair.test;
  for (const split of root.querySelectorAll('[data-role="split"]')) fillSplit(split, pair.counts);
}

function fillSplit(split, counts) {
  split.replaceChildren(
    ...CELLS.filter((cell) => counts[cell]).map((cell) => {
      const share = make("span", { class: cell });
      share.style.flexGrow = counts[cell];
      return share;
    }),
  );
}

function showClasses(root, truth, weights) {
  const sums = CELLS.map(() => new Float64Array(truth.names.length));
  weights.forEach((weight, c) => {
    for (let i = 0; i < weight.length; i++) sums[c][truth.codes[i]] += weight[i];
  });
  for (const row of root.querySelectorAll("[data-class]")) {
    const code = Number(row.dataset.class);
    const counts = Object.fromEntries(CELLS.map((cell, c) => [cell, sums[c][code]]));
    for (const cell of CELLS) {
      const box = part(row, cell);
      box.textContent = showCount(counts[cell]);
      box.dataset.value = counts[cell];
    }
    fillSplit(part(row, "split"), counts);
  }
}

const WIDEST = 30;
// Above this many columns a table has a line of the page to itself.
const MANY = 12;

// Counts of true classes (rows) by labels of a model (columns); the smallest of many labels share a last column.
// `choose(code, label)` shows the instances of a cell: those of one class with one label.
function crossTable(section, model, title, choose) {
  const { truth } = section.instances;
  const coded = section.instances.models.get(model);
  if (truth.names.length > WIDEST) {
    return make("p", { class: "hint" }, `${model}: more than ${WIDEST} classes are not tabulated here.`);
  }
  const { columns, names, codes } = crossColumns(coded);
  const counts = truth.names.map(() => new Uint32Array(names.length));
  truth.codes.forEach((code, i) => counts[code][columns[coded.codes[i]]]++);
  const order = columnOrder(coded.order, codes, names.length);
  const heads = order.map((k) => make("th", { scope: "col", class: "num" }, names[k]));
  const rows = truth.names.map((name, code) =>
    make("tr", {}, make("th", { scope: "row" }, name), ...order.map((k) => crossCell(counts[code][k], truth.sizes[code], codes[k] === undefined ? null : () => choose(code, codes[k]), `${name} as ${names[k]}`))),
  );
  const what = section.kind === "classification" ? "labels given by" : "clusters of";
  const caption = make("caption", {}, `True classes (rows) by ${what} ${model} (columns). The stronger the colour of a cell, the larger its share of the class.`);
  const head = make("tr", {}, make("th", { scope: "col" }, "Truth"), ...heads);
  const table = make("table", { class: isWide(names) ? "cross upright" : "cross" }, caption, make("thead", {}, head), make("tbody", {}, ...rows));
  const room = names.length > MANY ? "scroll whole" : "scroll";
  return make("div", { class: room, tabIndex: 0, role: "region", "aria-label": `Cross table of the truth and ${model}, ${title}` }, table);
}

// Headings stand upright where, side by side, they would take more than half of the page.
function isWide(names) {
  return names.reduce((sum, name) => sum + Math.max(name.length, 2) + 2, 0) > 56;
}

function crossCell(n, size, show, what) {
  const content = n && show ? make("button", { type: "button", "aria-label": `${showCount(n)} instances: ${what}` }, showCount(n)) : n ? showCount(n) : "·";
  if (n && show) content.addEventListener("click", show);
  const cell = make("td", { class: "num heat" }, content);
  cell.style.setProperty("--heat", `${Math.round(100 * Math.sqrt(n / size))}%`);
  return cell;
}

function crossColumns({ names, sizes }) {
  if (names.length <= WIDEST) return { columns: [...names.keys()], names, codes: [...names.keys()] };
  const largest = [...names.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b).slice(0, WIDEST - 1);
  largest.sort((a, b) => a - b);
  const columns = Array(names.length).fill(largest.length);
  largest.forEach((code, k) => (columns[code] = k));
  return { columns, names: [...largest.map((code) => names[code]), `${showCount(names.length - largest.length)} others`], codes: largest };
}

// Clusters stand next to the classes that they are matched with; unmatched ones come last.
function columnOrder(matched, codes, n) {
  const places = new Map(codes.map((code, k) => [code, k]));
  const known = matched.filter((code) => places.has(code)).map((code) => places.get(code));
  return [...known, ...Array(n).keys()].filter((k, i, all) => all.indexOf(k) === i);
}
