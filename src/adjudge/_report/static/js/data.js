const CELLS = ["both_right", "right_wrong", "wrong_right", "both_wrong"];
const SHORT = { both_right: "BR", right_wrong: "RW", wrong_right: "WR", both_wrong: "BW" };

const ARRAYS = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array,
};

async function unpack(packed) {
  const type = ARRAYS[packed.type];
  let bytes = fromBase64(packed.data);
  if (packed.compressed) bytes = interleaved(await inflated(bytes), type.BYTES_PER_ELEMENT);
  const values = new type(bytes.buffer);
  // Places on a grid, from its lower end.
  return packed.step === undefined ? values : Float32Array.from(values, (v) => packed.low + v * packed.step);
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Long columns hold the first bytes of all numbers, then the second ones, and so on.
function interleaved(planes, width) {
  if (width === 1) return planes;
  const n = planes.length / width;
  const bytes = new Uint8Array(planes.length);
  for (let k = 0; k < width; k++) for (let i = 0; i < n; i++) bytes[i * width + k] = planes[k * n + i];
  return bytes;
}

async function unpackLabels(coded) {
  const codes = await unpack(coded.codes);
  const sizes = new Float64Array(coded.names.length);
  for (const code of codes) sizes[code]++;
  return { codes, names: coded.names, sizes, order: coded.order };
}

// What a section embeds: the results of each ordered pair, and the instances column by column.
async function readSection(script) {
  const given = JSON.parse(script.textContent);
  const found = {
    kind: given.kind,
    models: given.models,
    order: given.ranking.order,
    best: given.best,
    // Without the truth, clusterings stand alone: nobody is right or wrong.
    alone: Boolean(given.instances) && !given.instances.truth,
    // One model without a rival is compared with itself: an instance is right twice or wrong twice.
    solo: Boolean(given.instances?.truth) && !given.best,
    n: given.n,
    pairs: new Map(given.pairs.map((pair) => [pairKey(pair.primary, pair.alternative), pair])),
    instances: null,
  };
  if (given.instances) found.instances = await readInstances(given.instances);
  return found;
}

function pairKey(p, q) {
  return JSON.stringify([p, q]);
}

async function readInstances(given) {
  const places = given.positions && (await unpack(given.positions));
  const sheets = given.pictures;
  const named = async (items, read) => new Map(await Promise.all(Object.entries(items).map(async ([name, item]) => [name, await read(item)])));
  return {
    n: given.n,
    position: (i) => (places ? places[i] : i),
    truth: given.truth && (await unpackLabels(given.truth)),
    models: await named(given.models, unpackLabels),
    right: await named(given.right, unpack),
    columns: await Promise.all(given.columns.map(async ({ name, numbers, text }) => {
      const values = numbers ? await unpack(numbers) : text;
      const show = numbers ? (i) => showDatum(values[i]) : (i) => values[i];
      return { name, values, numeric: Boolean(numbers), show };
    })),
    map: given.map && { ...given.map, x: await unpack(given.map.x), y: await unpack(given.map.y) },
    picture: sheets ? (i, side) => drawPicture(sheets, i, side) : null,
  };
}

// One picture is a window on a sheet that holds many.
function drawPicture(sheets, i, side) {
  if (sheets.files) return fileOf(sheets.files[i], side);
  if (i >= sheets.count) return make("span", { class: "picture absent" });
  const place = i % sheets.sheet;
  const sheet = sheets.sheets[Math.floor(i / sheets.sheet)];
  const scale = side / Math.max(sheets.width, sheets.height);
  const [width, height] = [sheets.width * scale, sheets.height * scale];
  const picture = make("span", { class: "picture" });
  const rows = Math.ceil(Math.min(sheets.sheet, sheets.count - i + place) / sheets.row);
  Object.assign(picture.style, {
    width: `${width}px`,
    height: `${height}px`,
    backgroundImage: `url("${sheet}")`,
    backgroundSize: `${sheets.row * width}px ${rows * height}px`,
    backgroundPosition: `${-(place % sheets.row) * width}px ${-Math.floor(place / sheets.row) * height}px`,
  });
  return picture;
}

function fileOf(uri, side) {
  if (!uri) return make("span", { class: "picture absent" });
  const picture = make("span", { class: "picture file" });
  Object.assign(picture.style, { width: `${side}px`, height: `${side}px`, backgroundImage: `url("${uri}")` });
  return picture;
}

// What instances are grouped by: the true classes, or else the clusters of the model that is shown.
function groupsOf(section, state) {
  return section.instances.truth ?? section.instances.models.get(state.p);
}

// Weight of each instance in each cell: 0 or 1 for classifiers, its number of pairs for clusterings.
function cellWeights(section, p, q) {
  const { instances } = section;
  return section.kind === "classification"
    ? classifierWeights(instances, instances.right.get(p), instances.right.get(q))
    : clusteringWeights(instances.n, instances.truth, instances.models.get(p), instances.models.get(q));
}

function classifierWeights(instances, p, q) {
  const weights = CELLS.map(() => new Uint8Array(instances.n));
  for (let i = 0; i < instances.n; i++) weights[(p[i] ? 0 : 2) + (q[i] ? 0 : 1)][i] = 1;
  return weights;
}

// Partitions a and b agree on a pair of instance i if both join it or both separate it.
function clusteringWeights(n, truth, p, q) {
  const agreement = (a, b) => {
    const joint = jointSizes(a, b);
    return (i) => n - 1 - a.sizes[a.codes[i]] - b.sizes[b.codes[i]] + 2 * joint(i);
  };
  const [withP, withQ, between] = [agreement(truth, p), agreement(truth, q), agreement(p, q)];
  const weights = CELLS.map(() => new Float64Array(n));
  for (let i = 0; i < n; i++) {
    const [a, b] = [withP(i), withQ(i)];
    const both = (a + b + between(i) - (n - 1)) / 2;
    weights[0][i] = both;
    weights[1][i] = a - both;
    weights[2][i] = b - both;
    weights[3][i] = n - 1 - a - b + both;
  }
  return weights;
}

function jointSizes(a, b) {
  const wide = b.names.length;
  const key = (i) => a.codes[i] * wide + b.codes[i];
  const n = a.codes.length;
  // A table where it is no larger than the instances are many, else only the pairs that occur.
  if (a.names.length * wide <= 4 * n + 1000) {
    const counts = new Float64Array(a.names.length * wide);
    for (let i = 0; i < n; i++) counts[key(i)]++;
    return (i) => counts[key(i)];
  }
  const counts = new Map();
  for (let i = 0; i < n; i++) counts.set(key(i), (counts.get(key(i)) ?? 0) + 1);
  return (i) => counts.get(key(i));
}
