function showCount(n) {
  return n.toLocaleString("en-US");
}

function plural(n, one) {
  return `${showCount(n)} ${one}${n === 1 ? "" : "s"}`;
}

function minus(text) {
  return text.replace("-", "−");
}

// Measures come with four decimals; what JSON cannot hold came as a word.
function showMeasure(value) {
  if (value === "nan") return "undefined";
  if (value === "inf") return "inf";
  if (value === "-inf") return "−inf";
  return minus(value.toFixed(4));
}

function showPercent(share) {
  const percent = 100 * share;
  if (!Number.isFinite(percent)) return "–";
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  if (percent > 99.9 && percent < 100) return ">99.9 %";
  return `${Number.isInteger(percent) ? percent : percent.toFixed(1)} %`;
}

function showDatum(value) {
  if (Number.isNaN(value)) return "–";
  return minus(String(Number.isInteger(value) ? value : Number(value.toPrecision(6))));
}

function showInterval(bounds) {
  return bounds.includes("nan") ? "no interval" : bounds.map(showMeasure).join(" to ");
}

function showP(value) {
  return value < 0.0001 ? "p < 0.0001" : `p = ${Number(value.toPrecision(2))}`;
}

function showTest(test, nTests) {
  if (test.p_value === "nan") return `undefined: ${test.reason}`;
  let said = showP(test.p_value);
  if (nTests > 1) said += `; with Holm's correction for ${nTests} pairs of models, ${showP(test.adjusted_p_value)}`;
  return test.reason ? `${said} (${test.reason})` : said;
}
