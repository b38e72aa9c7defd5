// The instances in two dimensions, drawn by uPlot. The table beside it gives the same instances to a keyboard.

const GROUPS = [
  "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#e08214", "#7f5fc9", "#8c6d46", "#44aa99",
];
const REST = "#8b909c";

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

class InstanceMap {
  constructor(host, legend, instances, onPick) {
    Object.assign(this, { host, legend, instances, onPick, plot: null, view: null, picked: -1 });
    const { x, y } = instances.map;
    this.full = { x: padded(x), y: padded(y) };
    new ResizeObserver(() => this.fit()).observe(host);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.last && this.draw(...this.last));
  }

  fit() {
    const width = this.host.clientWidth;
    if (this.plot && width && width !== this.plot.width) this.plot.setSize(this.size());
  }

  size() {
    const width = Math.max(this.host.clientWidth, 240);
    return { width, height: Math.round(Math.min(520, Math.max(280, width * 0.68))) };
  }

  // `look`: the groups, {title, color}, and the layer of an instance: group * STEPS + step from 0 (faint) to BINS (full).
  draw(look, shown) {
    this.last = [look, shown];
    const { x, y } = this.instances.map;
    const { codes, layers } = layersOf(look, shown, this.instances.n);
    const drawn = layers.filter(({ members }) => members);
    const dense = layers.filter(({ members }) => !members);
    // The corners of the view are in no layer: the axes need data.
    const data = [null, [this.full.x, this.full.y], ...drawn.map(({ members }) => [pick(x, members), pick(y, members)])];
    const ink = cssColor("--mute");
    const line = cssColor("--line");
    const axis = (label, scale, side) => ({
      scale, side, label, stroke: ink, labelSize: 22, size: side === 3 ? 52 : 40,
      grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 },
      font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
      values: (_, ticks) => ticks.map(showTick),
    });
    const range = (scale) => () => (this.view ?? this.full)[scale];
    this.plot?.destroy();
    this.plot = new uPlot(
      {
        ...this.size(),
        mode: 2,
        legend: { show: false },
        cursor: { drag: { x: true, y: true, setScale: false }, points: { show: false }, focus: { prox: -1 } },
        scales: { x: { time: false, range: range("x") }, y: { range: range("y") } },
        axes: [axis(this.instances.map.x_title, "x", 2), axis(this.instances.map.y_title, "y", 3)],
        series: [
          null,
          ...[() => null, ...drawn.map(({ color, alpha }) => (u, s) => paintPoints(u, s, color, alpha))].map((paths) => ({
            facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }],
            paths,
          })),
        ],
        hooks: {
          setSelect: [(u) => this.zoom(u)],
          drawAxes: [(u) => dense.length && paintDensity(u, this.instances.map, codes, dense)],
          draw: [() => this.ring()],
          ready: [(u) => this.listen(u)],
        },
      },
      data,
      this.host,
    );
    this.legend.replaceChildren(
      ...look.groups.filter((g) => g.title).map((group) => {
        const dot = make("span", { class: "dot", "aria-hidden": "true" });
        dot.style.background = group.color;
        return make("li", {}, dot, group.title);
      }),
    );
  }

  listen(u) {
    // Releasing after a drag does not choose an instance.
    let pressed = [0, 0];
    u.over.addEventListener("mousedown", (event) => (pressed = [event.offsetX, event.offsetY]));
    u.over.addEventListener("click", (event) => {
      if (Math.hypot(event.offsetX - pressed[0], event.offsetY - pressed[1]) > 4) return;
      const i = this.nearest(u, event.offsetX, event.offsetY);
      if (i >= 0) this.onPick(i);
    });
    u.over.addEventListener("dblclick", () => this.reset());
    u.over.addEventListener("mousemove", (event) => {
      const i = this.nearest(u, event.offsetX, event.offsetY);
      const truth = this.instances.truth;
      const said = truth ? `, truth ${truth.names[truth.codes[i]]}` : "";
      u.over.title = i < 0 ? "" : `Instance ${this.instances.position(i)}${said}`;
      u.over.style.cursor = i < 0 ? "crosshair" : "pointer";
    });
  }

  // Nearest instance among those shown, within 12 pixels.
  nearest(u, left, top) {
    const { x, y } = this.instances.map;
    const [x0, y0] = [u.posToVal(left, "x"), u.posToVal(top, "y")];
    const [sx, sy] = [u.over.clientWidth / (u.scales.x.max - u.scales.x.min), u.over.clientHeight / (u.scales.y.max - u.scales.y.min)];
    let best = -1;
    let least = 144;
    for (const i of this.last[1]) {
      const distance = ((x[i] - x0) * sx) ** 2 + ((y[i] - y0) * sy) ** 2;
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  }

  zoom(u) {
    const { left, top, width, height } = u.select;
    if (width < 8 || height < 8) return;
    this.view = {
      x: [u.posToVal(left, "x"), u.posToVal(left + width, "x")],
      y: [u.posToVal(top + height, "y"), u.posToVal(top, "y")],
    };
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.draw(...this.last);
  }

  // Half as far across, around the chosen instance if it is in view.
  closer() {
    const { x, y } = this.view ?? this.full;
    const place = (values, [low, high]) => {
      const at = values[this.picked];
      const middle = at >= low && at <= high ? at : (low + high) / 2;
      return [middle - (high - low) / 4, middle + (high - low) / 4];
    };
    this.view = { x: place(this.instances.map.x, x), y: place(this.instances.map.y, y) };
    this.draw(...this.last);
  }

  reset() {
    this.view = null;
    if (this.last) this.draw(...this.last);
  }

  mark(i) {
    this.picked = i;
    this.ring();
  }

  // A ring over the canvas, so that choosing an instance redraws nothing.
  ring() {
    if (!this.plot) return;
    this.circle ??= make("div", { class: "ring" });
    const { x, y } = this.instances.map;
    const [left, top] = [this.plot.valToPos(x[this.picked], "x"), this.plot.valToPos(y[this.picked], "y")];
    const inside = this.picked >= 0 && left >= 0 && top >= 0 && left <= this.plot.over.clientWidth && top <= this.plot.over.clientHeight;
    this.circle.hidden = !inside;
    this.circle.style.left = `${left}px`;
    this.circle.style.top = `${top}px`;
    this.plot.over.append(this.circle);
  }
}

function padded(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  const room = (high - low || 1) * 0.04;
  return [low - room, high + room];
}

function pick(values, members) {
  return Float64Array.from(members, (i) => values[i]);
}

const BINS = 4;
const STEPS = BINS + 1;
// Layers of more points are drawn as a density.
const CROWD = 20000;
const GRAINED = 200000;
const NOWHERE = 255;

// Instances that are not shown lie faint below, as layer 0; each group above them, its fainter parts first.
function layersOf(look, shown, n) {
  const codes = new Uint8Array(n);
  const counts = new Uint32Array(NOWHERE + 1);
  for (let k = 0; k < shown.length; k++) {
    const layer = look.layer(shown[k]);
    const code = layer < 0 ? NOWHERE : layer + 1;
    codes[shown[k]] = code;
    counts[code]++;
  }
  counts[0] = n - shown.length;
  const layers = [{ code: 0, color: REST, alpha: 0.18 }];
  look.groups.forEach(({ color }, g) => {
    for (let step = 0; step < STEPS; step++) layers.push({ code: g * STEPS + step + 1, color, alpha: 0.2 + (0.65 * step) / BINS });
  });
  const lists = new Array(NOWHERE + 1);
  for (const layer of layers) if (counts[layer.code] <= CROWD) layer.members = lists[layer.code] = [];
  const isListed = Uint8Array.from(lists, (list) => (list ? 1 : 0));
  if (layers.some(({ code, members }) => members && counts[code])) {
    for (let i = 0; i < n; i++) if (isListed[codes[i]]) lists[codes[i]].push(i);
  }
  return { codes, layers: layers.filter(({ code }) => counts[code]) };
}

function paintPoints(u, s, color, alpha) {
  const [xs, ys] = u.data[s];
  const radius = (xs.length > 3000 ? 2.4 : 3.4) * devicePixelRatio;
  const path = new Path2D();
  for (let k = 0; k < xs.length; k++) {
    const [cx, cy] = [u.valToPos(xs[k], "x", true), u.valToPos(ys[k], "y", true)];
    path.moveTo(cx + radius, cy);
    path.arc(cx, cy, radius, 0, 2 * Math.PI);
  }
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(left, top, width, height);
  u.ctx.clip();
  u.ctx.globalAlpha = alpha;
  u.ctx.fillStyle = color;
  u.ctx.fill(path);
  u.ctx.restore();
  return null;
}

// Very many points as a density: where there are more of them the colour is stronger, and colours mix by their shares.
// Those that are not shown lie below, fainter.
function paintDensity(u, { x, y }, codes, layers) {
  const { left, top, width, height } = u.bbox;
  // Of very many, the cells are two pixels wide: a filter then answers at once.
  const grain = devicePixelRatio * (codes.length > GRAINED ? 2 : 1);
  const [wide, high] = [width, height].map((size) => Math.max(1, Math.round(size / grain)));
  const { min: low, max: right } = u.scales.x;
  const { min: bottom, max: up } = u.scales.y;
  const [perX, perY] = [wide / (right - low), high / (up - bottom)];
  const slots = new Uint8Array(NOWHERE + 1);
  layers.forEach(({ code }, k) => (slots[code] = k + 1));
  const many = layers.length;
  const counts = new Uint32Array(wide * high * many);
  for (let i = 0; i < codes.length; i++) {
    const slot = slots[codes[i]];
    if (slot === 0) continue;
    const across = (x[i] - low) * perX;
    const down = (up - y[i]) * perY;
    if (across >= 0 && down >= 0 && across < wide && down < high) counts[((down | 0) * wide + (across | 0)) * many + slot - 1]++;
  }
  const inks = layers.map(({ code, color, alpha }, k) => ({ k, alpha, isRest: code === 0, ink: channels(color) }));
  u.ctx.imageSmoothingEnabled = false;
  for (const part of [inks.filter(({ isRest }) => isRest), inks.filter(({ isRest }) => !isRest)]) {
    if (part.length) u.ctx.drawImage(pictureOf(counts, many, part, wide, high), left, top, width, height);
  }
}

function pictureOf(counts, many, part, wide, high) {
  const sums = new Float32Array(wide * high);
  for (const { k, alpha } of part) for (let at = 0; at < sums.length; at++) sums[at] += alpha * counts[at * many + k];
  let most = 0;
  for (let at = 0; at < sums.length; at++) if (sums[at] > most) most = sums[at];
  const perLog = 0.75 / Math.log1p(most);
  const opacity = part[0].isRest ? 90 : 255;
  const picture = new ImageData(wide, high);
  const { data } = picture;
  for (let at = 0; at < sums.length; at++) {
    if (sums[at] === 0) continue;
    let [red, green, blue] = [0, 0, 0];
    for (const { k, alpha, ink } of part) {
      const share = (alpha * counts[at * many + k]) / sums[at];
      red += share * ink[0];
      green += share * ink[1];
      blue += share * ink[2];
    }
    data[4 * at] = red;
    data[4 * at + 1] = green;
    data[4 * at + 2] = blue;
    data[4 * at + 3] = opacity * (0.25 + perLog * Math.log1p(sums[at]));
  }
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [wide, high];
  canvas.getContext("2d").putImageData(picture, 0, 0);
  return canvas;
}

// Red, green and blue of a colour such as #4477aa.
function channels(color) {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

// How the map is coloured: by outcome, or by the groups of the truth or of a model.
function mapGroups(section, state, weights) {
  const { instances } = section;
  if (state.color === "outcome") return section.kind === "classification" ? outcomeGroups(section, weights, state) : leanGroups(weights, state);
  const coded = state.color === "truth" ? instances.truth : instances.models.get(state.color === "p" ? state.p : state.q);
  const order = [...coded.sizes.keys()].sort((a, b) => coded.sizes[b] - coded.sizes[a]).slice(0, GROUPS.length);
  order.sort((a, b) => a - b);
  const groups = order.map((code, k) => ({ title: coded.names[code], color: GROUPS[k] }));
  const layers = new Int16Array(coded.names.length).fill(order.length * STEPS + 3);
  order.forEach((code, k) => (layers[code] = k * STEPS + BINS));
  if (coded.names.length > order.length) groups.push({ title: "others", color: REST });
  return { groups, layer: (i) => layers[coded.codes[i]] };
}

function outcomeGroups(section, weights, state) {
  const titles = section.solo ? { both_right: "right", both_wrong: "wrong" } : {
    both_right: "both right",
    right_wrong: `only ${state.p} right`,
    wrong_right: `only ${state.q} right`,
    both_wrong: "both wrong",
  };
  return {
    groups: CELLS.map((cell) => ({ title: titles[cell], color: cssColor(`--${cell}`) })),
    layer: (i) => {
      for (let c = 0; c < 4; c++) if (weights[c][i]) return c * STEPS + (c === 0 ? 2 : BINS);
      return -1;
    },
  };
}

// An instance of a clustering is in every cell with some of its pairs: which model has more of them right?
function leanGroups(weights, state) {
  let most = 1;
  for (let i = 0; i < weights[1].length; i++) most = Math.max(most, Math.abs(weights[1][i] - weights[2][i]));
  return {
    groups: [
      { title: "equally many right by both", color: REST },
      { title: `more pairs right by ${state.p}`, color: cssColor("--right_wrong") },
      { title: `more pairs right by ${state.q}`, color: cssColor("--wrong_right") },
    ],
    layer: (i) => {
      const lean = (weights[1][i] - weights[2][i]) / most;
      return lean === 0 ? 2 : (lean > 0 ? 1 : 2) * STEPS + Math.ceil(Math.abs(lean) * BINS);
    },
  };
}
