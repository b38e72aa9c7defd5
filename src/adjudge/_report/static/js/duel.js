// The head-to-head of a chosen pair: the matrix, the measures, the classes. Results are read, not computed, but for
// the counts by class, which are sums over the instances.

function showPair(root, pair) {
  for (const box of root.querySelectorAll("[data-cell]")) {
    const count = pair.counts[box.dataset.cell];
    part(box, "count").textContent = showCount(count);
    part(box, "share").textContent = showPercent(count / pair.total);
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
    const name = row.dataset.measure;
    part(row, "value").textContent = showMeasure(pair.measures[name]);
    const interval = pair.intervals[name];
    const note = interval ? interval.map(showMeasure).join(" to ") : "";
    part(row, "note").textContent = [note, pair.reasons[name]].filter(Boolean).join("; ");
  }
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
  truth.codes.forEach((code, i) => weights.forEach((w, c) => (sums[c][code] += w[i])));
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

const WIDEST = 40;

// Counts of true classes (rows) by labels of a model (columns).
function crossTable(section, model, onPick) {
  const { truth } = section.instances;
  const coded = section.instances.models.get(model);
  if (truth.names.length > WIDEST || coded.names.length > WIDEST) {
    return make("p", { class: "hint" }, `${model}: more than ${WIDEST} classes or labels are not tabulated here.`);
  }
  const counts = truth.names.map(() => new Uint32Array(coded.names.length));
  truth.codes.forEach((code, i) => counts[code][coded.codes[i]]++);
  const order = section.kind === "classification" ? [...coded.names.keys()] : matchedOrder(counts, coded.names.length);
  const head = make("tr", {}, make("th", { scope: "col" }, "Truth"), ...order.map((k) => make("th", { scope: "col", class: "num" }, coded.names[k])));
  const rows = truth.names.map((name, code) => {
    const cells = order.map((k) => {
      const n = counts[code][k];
      const share = n / truth.sizes[code];
      const box = make("td", { class: `num heat${share > 0.6 ? " strong" : ""}` }, n ? showCount(n) : "·");
      box.style.setProperty("--heat", `${Math.round(100 * Math.sqrt(share))}%`);
      if (section.kind === "classification" && n && coded.names[k] === name) box.classList.add("diagonal");
      return box;
    });
    return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
  });
  const what = section.kind === "classification" ? "labels given by" : "clusters of";
  const caption = make("caption", {}, `True classes (rows) by ${what} ${model} (columns); darker where a larger share of the class is.`);
  const table = make("table", { class: "cross" }, caption, make("thead", {}, head), make("tbody", {}, ...rows));
  return make("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": `Cross table of the truth and ${model}` }, table);
}

// Each class in turn takes the cluster that holds most of it, so that matching cells lie near the diagonal.
function matchedOrder(counts, n) {
  const left = new Set(Array(n).keys());
  const order = [];
  for (const row of counts) {
    const best = [...left].reduce((a, b) => (a < 0 || row[b] > row[a] ? b : a), -1);
    if (best >= 0 && row[best] > 0) {
      order.push(best);
      left.delete(best);
    }
  }
  return [...order, ...left];
}
