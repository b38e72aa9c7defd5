// Which instances are shown, and in which order.

function selectInstances(section, state, weights) {
  const { instances } = section;
  const weight = state.cell ? weights[CELLS.indexOf(state.cell)] : null;
  const inClass = state.class === "" ? -1 : Number(state.class);
  const groups = groupsOf(section, state);
  const said = saidOf(section, state);
  const matches = state.find.trim() ? matcher(section, state, state.find.trim().toLowerCase()) : null;
  const chosen = new Uint32Array(instances.n);
  let size = 0;
  for (let i = 0; i < instances.n; i++) {
    if (weight && weight[i] === 0) continue;
    if (inClass >= 0 && groups.codes[i] !== inClass) continue;
    if (said && said.codes[i] !== said.code) continue;
    if (matches && !matches(i)) continue;
    chosen[size++] = i;
  }
  return chosen.subarray(0, size);
}

// Which label by which model is selected: "p:3" is the fourth label of the primary; null for any.
function saidOf(section, state) {
  const [side, label] = state.said.split(":");
  const coded = side === "p" || side === "q" ? section.instances.models.get(state[side]) : undefined;
  const code = Number(label);
  return coded && label && code in coded.names ? { codes: coded.codes, code } : null;
}

// Labels and text match if they contain the query, numbers if they start with it.
function matcher(section, state, wanted) {
  const { instances } = section;
  const tests = [];
  const searched = section.alone ? [...instances.models.values()] : [instances.truth, instances.models.get(state.p), instances.models.get(state.q)];
  for (const labels of searched) {
    const hits = labels.names.map((name) => name.toLowerCase().includes(wanted));
    if (hits.some(Boolean)) tests.push((i) => hits[labels.codes[i]]);
  }
  const number = Number(wanted.replace("−", "-"));
  const numeric = !Number.isNaN(number);
  if (numeric) tests.push((i) => instances.position(i) === number);
  const step = 10 ** -(wanted.split(".")[1] ?? "").length;
  const [low, high] = number < 0 ? [number - step, number] : [number, number + step];
  const starts = number < 0 ? (v) => v > low && v <= high : (v) => v >= low && v < high;
  for (const column of instances.columns) {
    if (!column.numeric) tests.push((i) => column.values[i].toLowerCase().includes(wanted));
    else if (numeric) tests.push((i) => starts(column.values[i]));
  }
  return (i) => tests.some((test) => test(i));
}

// Columns of the table; `value` orders, `cell` shows.
function tableColumns(section, state, weights) {
  const { instances } = section;
  const labels = (key, title, coded) => ({
    key,
    title,
    value: (i) => coded.codes[i],
    cell: (i) => coded.names[coded.codes[i]],
  });
  const columns = [
    { key: "n", title: "Instance", numeric: true, value: (i) => i, cell: (i) => String(instances.position(i)) },
  ];
  if (instances.picture) columns.push({ key: "", title: "Picture", cell: (i) => instances.picture(i, 40) });
  if (section.kind === "classification") {
    const outcome = (i) => CELLS.findIndex((_, c) => weights[c][i] > 0);
    columns.push({ key: "outcome", title: "Outcome", value: outcome, cell: (i) => chip(section, CELLS[outcome(i)]) });
  } else if (state.cell) {
    const weight = weights[CELLS.indexOf(state.cell)];
    columns.push({
      key: "pairs",
      title: `Pairs ${cellTitle(section, state.cell)}`,
      numeric: true,
      value: (i) => weight[i],
      cell: (i) => showCount(weight[i]),
    });
  }
  if (section.alone) {
    section.models.forEach((model, m) => columns.push(labels(`m${m}`, model, instances.models.get(model))));
  } else {
    columns.push(
      labels("truth", "Truth", instances.truth),
      labels("p", state.p, instances.models.get(state.p)),
      ...(section.solo ? [] : [labels("q", state.q, instances.models.get(state.q))]),
    );
  }
  instances.columns.forEach((column, c) =>
    columns.push({
      key: `c${c}`,
      title: column.name,
      numeric: column.numeric,
      text: !column.numeric,
      value: (i) => column.values[i],
      cell: column.show,
    }),
  );
  return columns;
}

// What a cell is called in few letters; nothing where it cannot occur.
function cellTitle(section, cell) {
  return section.solo ? { both_right: "right", both_wrong: "wrong" }[cell] : SHORT[cell];
}

function chip(section, cell) {
  return make("span", { class: "chip" }, make("span", { class: `dot ${cell}`, "aria-hidden": "true" }), cellTitle(section, cell));
}

// Gaps come last whichever way the column is sorted; equal values keep the order of the data.
function sortInstances(chosen, columns, sort) {
  const [key, direction] = sort.split(":");
  const column = columns.find((c) => c.key === key && c.value);
  if (!column || !chosen.length) return;
  const sign = direction === "desc" ? -1 : 1;
  if (typeof column.value(chosen[0]) === "number") {
    sortNumbers(chosen, column.value, sign);
    return;
  }
  chosen.sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    return x < y ? -sign : x > y ? sign : a - b;
  });
}

// Numbers are sorted without a comparison in script: each gets its rank among the distinct values, and ranks are counted.
function sortNumbers(chosen, value, sign) {
  const values = new Float64Array(chosen.length);
  for (let k = 0; k < values.length; k++) values[k] = sign * value(chosen[k]);
  const sorted = values.slice().sort();
  const distinct = sorted.filter((v, k) => (k === 0 ? !Number.isNaN(v) : v > sorted[k - 1]));
  // A gap stays a gap with either sign, and comes last.
  const ranks = Uint32Array.from(values, (v) => (Number.isNaN(v) ? distinct.length : placeIn(distinct, v)));
  const starts = new Uint32Array(distinct.length + 2);
  for (const rank of ranks) starts[rank + 1]++;
  for (let r = 1; r < starts.length; r++) starts[r] += starts[r - 1];
  const before = chosen.slice();
  for (let k = 0; k < before.length; k++) chosen[starts[ranks[k]]++] = before[k];
}

function placeIn(sorted, v) {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < v) low = middle + 1;
    else high = middle;
  }
  return low;
}
