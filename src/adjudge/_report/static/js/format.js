// Results come as texts; only counts and data of the instances that a reader chooses are written here.
function showCount(n) {
  if (Number.isInteger(n)) return n.toLocaleString("en-US");
  return n.toLocaleString("en-US", n < 1e6 ? { maximumSignificantDigits: 6 } : { maximumFractionDigits: 0 }); // a weight
}

function showTick(value) {
  return minus(value.toLocaleString("en-US", { maximumSignificantDigits: 12 }));
}

function plural(n, one) {
  return `${showCount(n)} ${one}${n === 1 ? "" : "s"}`;
}

function minus(text) {
  return text.replace("-", "−");
}

function showDatum(value) {
  if (Number.isNaN(value)) return "–";
  return minus(String(Number.isInteger(value) ? value : Number(value.toPrecision(6))));
}
