// One section's head-to-head: what is chosen is kept in `state`, and everything shown follows from it.

const ROWS = 25;
const TILES = 60;

class Explorer {
  constructor(root, section) {
    Object.assign(this, { root, section, title: root.querySelector("h2").textContent });
    const [p, q] = section.best ?? [section.order[0], section.solo ? section.order[0] : ""];
    this.defaults = {
      ...START,
      p,
      q,
      cell: this.startingCell(p, q),
      view: section.instances?.picture ? "pictures" : "table",
      color: section.kind === "classification" ? "outcome" : section.alone ? "p" : "truth",
    };
    this.state = { ...this.defaults };
    this.weights = null;
    this.map = null;
    this.chosen = new Uint32Array(0);
    if (section.alone) this.prepareModels();
    else if (!section.solo) this.prepareDuel();
    if (section.instances) this.prepareInstances();
  }

  // What to show first: where one model alone is right, or where the only one is wrong.
  startingCell(p, q) {
    const { best, solo, instances, kind, pairs } = this.section;
    if (solo) return kind === "classification" && instances.right.get(p).includes(0) ? "both_wrong" : "";
    return instances && best && pairs.get(pairKey(p, q)).counts.right_wrong ? "right_wrong" : "";
  }

  part(role) {
    return part(this.root, role);
  }

  // Which clustering is shown, where there is no truth to compare two with.
  prepareModels() {
    const select = this.part("choose-p");
    options(select, this.section.order.map((name) => [name, name]));
    select.addEventListener("change", () => this.change({ p: select.value, class: "" }));
  }

  prepareDuel() {
    const names = this.section.models.map((name) => [name, name]);
    for (const side of ["p", "q"]) {
      const select = this.part(`choose-${side}`);
      options(select, names);
      select.addEventListener("change", () => this.choosePair(side, select.value));
    }
    this.part("swap").addEventListener("click", () => this.change({ p: this.state.q, q: this.state.p }));
    for (const row of this.root.querySelectorAll("[data-pair]")) {
      const [p, q] = JSON.parse(row.dataset.pair);
      const button = make("button", { type: "button", class: "link", "aria-label": `Show ${p} against ${q}` });
      const head = row.querySelector("th");
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        this.change({ p, q, class: "", find: "" });
        this.part("choose-p").scrollIntoView({ block: "center" });
        this.part("choose-p").focus({ preventScroll: true });
      });
    }
    if (this.section.instances) this.root.querySelectorAll("td[data-cell]").forEach((box) => this.upgradeCell(box));
  }

  // A cell of the matrix becomes a button that shows its instances.
  upgradeCell(box) {
    const { cell } = box.dataset;
    const button = make("button", { type: "button", "aria-pressed": "false" });
    button.append(...box.childNodes);
    box.append(button);
    button.addEventListener("click", () => this.change({ cell: this.state.cell === cell ? "" : cell, sort: "" }));
  }

  prepareInstances() {
    const { instances } = this.section;
    this.part("class").addEventListener("change", (event) => this.change({ class: event.target.value }));
    this.part("cell")?.addEventListener("change", (event) => this.change({ cell: event.target.value, sort: "" }));
    this.part("find").addEventListener("input", debounce((event) => this.change({ find: event.target.value }), 150));
    this.part("said")?.addEventListener("change", (event) => this.change({ said: event.target.value }));
    this.part("reset").addEventListener("click", () => this.change({ cell: "", class: "", said: "", find: "" }));
    this.part("view-field").hidden = !instances.picture;
    this.part("view").addEventListener("change", (event) => this.change({ view: event.target.value }));
    this.part("previous").addEventListener("click", () => this.turn(-1));
    this.part("next").addEventListener("click", () => this.turn(1));
    for (const row of this.root.querySelectorAll("[data-class]")) {
      const head = row.querySelector("th");
      const button = make("button", { type: "button", class: "link", "aria-label": `Show the instances of class ${instances.truth.names[row.dataset.class]}` });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        this.change({ class: row.dataset.class, cell: "", said: "", find: "" });
        this.part("explorer").scrollIntoView();
      });
    }
    for (const named of this.root.querySelectorAll("[data-instance]")) {
      const button = make("button", { type: "button", class: "link", "aria-label": `Show instance ${named.dataset.instance}` });
      button.append(...named.childNodes);
      named.append(button);
      button.addEventListener("click", () => {
        this.change({ i: named.dataset.instance });
        this.part("explorer").scrollIntoView();
      });
    }
    if (!instances.map) {
      this.part("map").hidden = true;
      return;
    }
    const how = "Drag to zoom, double-click to zoom out, click a point to see the instance.";
    const density = instances.n > CROWD ? "The stronger the colour, the more instances lie there. " : "";
    this.part("map-caption").append(`${instances.map.caption} ${density}`, make("span", { class: "how" }, how));
    this.part("color")?.addEventListener("change", (event) => this.change({ color: event.target.value }));
    this.part("zoom-in").addEventListener("click", () => this.map.closer());
    this.part("zoom-out").addEventListener("click", () => this.map.reset());
    this.map = new InstanceMap(this.part("plot"), this.part("legend"), instances, (i) => this.change({ i: String(instances.position(i)) }));
  }

  // What a click on a cell of a cross table does: it shows the instances of one class with one label.
  chooser(side) {
    return (code, label) => {
      this.change({ class: String(code), said: `${side}:${label}`, cell: "", find: "" });
      this.part("explorer").scrollIntoView();
    };
  }

  choosePair(side, name) {
    const other = side === "p" ? "q" : "p";
    const swap = this.state[other] === name ? { [other]: this.state[side] } : {};
    this.change({ [side]: name, ...swap });
  }

  turn(step) {
    this.change({ page: String(Number(this.state.page) + step) }, false);
  }

  change(part, fromStart = true) {
    const onlyLooks = ["i", "view", "color", "page"];
    const restart = fromStart && Object.keys(part).some((name) => !onlyLooks.includes(name) || name === "view");
    // A label of a model means nothing for the next pair.
    const moved = "p" in part || "q" in part;
    this.state = { ...this.state, ...(restart ? { page: "1" } : {}), ...(moved ? { said: "" } : {}), ...part };
    this.show();
    writeFragment(this.root.id, this.state, this.defaults);
  }

  // A link may name what no longer exists: such parts fall back to the start.
  adopt(given) {
    const { models, instances, alone, solo } = this.section;
    const state = { ...this.defaults, ...given };
    const known = models.includes(state.p) && (alone || solo || (models.includes(state.q) && state.p !== state.q));
    if (!known) Object.assign(state, { p: this.defaults.p, q: this.defaults.q });
    if (alone) Object.assign(state, { q: "", cell: "", color: "p" });
    if (solo) state.q = state.p;
    if (state.cell && !CELLS.includes(state.cell)) state.cell = this.defaults.cell;
    if (instances && !(state.class in groupsOf(this.section, state).names)) state.class = "";
    if (instances && !saidOf(this.section, state)) state.said = "";
    if (!["outcome", "truth", "p", "q"].includes(state.color)) state.color = this.defaults.color;
    if (!["table", "pictures"].includes(state.view) || !instances?.picture) state.view = instances?.picture ? this.defaults.view : "table";
    this.state = state;
    this.show();
  }

  show() {
    const { section, state } = this;
    const key = pairKey(state.p, state.q);
    if (!section.solo) this.part("choose-p").value = state.p;
    if (section.best) this.part("choose-q").value = state.q;
    if (this.pair !== key && section.alone) {
      this.pair = key;
      this.listGroups();
    } else if (this.pair !== key) {
      this.pair = key;
      if (section.best) showPair(this.part("duel"), section.pairs.get(key));
      if (section.instances) this.weights = cellWeights(section, state.p, state.q);
      if (section.solo) {
        this.part("cross").replaceChildren(crossTable(section, state.p, this.title, this.chooser("p")));
        this.relabelAlone();
        this.listGroups();
      } else if (section.instances) {
        showClasses(this.part("classes"), section.instances.truth, this.weights);
        for (const name of this.part("classes").querySelectorAll('[data-role="primary"]')) name.textContent = state.p;
        for (const name of this.part("classes").querySelectorAll('[data-role="alternative"]')) name.textContent = state.q;
        this.part("cross").replaceChildren(
          crossTable(section, state.p, this.title, this.chooser("p")),
          crossTable(section, state.q, this.title, this.chooser("q")),
        );
        this.relabel();
        this.listGroups();
      }
    }
    if (section.instances) this.showInstances();
  }

  // The same for a single model: right or wrong.
  relabelAlone() {
    const { p } = this.state;
    const clustering = this.section.kind === "clustering";
    options(this.part("cell"), [["", "any"], ["both_right", clustering ? "in pairs that are right" : "right"], ["both_wrong", clustering ? "in pairs that are wrong" : "wrong"]]);
    options(this.part("color"), [
      ...(clustering ? [] : [["outcome", "outcome"]]),
      ["truth", "true class"],
      ["p", `${clustering ? "cluster" : "label"} by ${p}`],
    ]);
  }

  listGroups() {
    const { names } = groupsOf(this.section, this.state);
    options(this.part("class"), [["", "all"], ...names.map((name, code) => [String(code), name])]);
    const said = this.part("said");
    if (!said) return;
    const sides = this.section.solo ? ["p"] : ["p", "q"];
    const labels = sides.flatMap((side) => {
      const model = this.state[side];
      return this.section.instances.models.get(model).names.map((name, code) => [`${side}:${code}`, `${name} by ${model}`]);
    });
    options(said, [["", "any"], ...labels]);
  }

  // Options that name the models of the pair.
  relabel() {
    const { p, q } = this.state;
    const clustering = this.section.kind === "clustering";
    options(this.part("cell"), [
      ["", "any"],
      ["both_right", "both right"],
      ["right_wrong", `only ${p} right`],
      ["wrong_right", `only ${q} right`],
      ["both_wrong", "both wrong"],
    ]);
    options(this.part("color"), [
      ["outcome", clustering ? "which model has more pairs right" : "outcome"],
      ["truth", "true class"],
      ["p", `${clustering ? "cluster" : "label"} by ${p}`],
      ["q", `${clustering ? "cluster" : "label"} by ${q}`],
    ]);
  }

  showInstances() {
    const { section, state } = this;
    for (const button of this.root.querySelectorAll("td[data-cell] button")) {
      button.setAttribute("aria-pressed", String(button.parentElement.dataset.cell === state.cell));
    }
    for (const role of ["cell", "class", "said", "view", "color"]) {
      if (this.part(role)) this.part(role).value = state[role];
    }
    if (this.part("find").value !== state.find) this.part("find").value = state.find;
    const sort = state.sort || (section.kind === "clustering" && state.cell ? "pairs:desc" : "n:asc");
    const columns = tableColumns(section, state, this.weights);
    const filters = [this.pair, state.cell, state.class, state.said, state.find];
    const wanted = JSON.stringify([...filters, sort]);
    const fresh = wanted !== this.selected;
    if (fresh) {
      this.selected = wanted;
      this.chosen = selectInstances(section, state, this.weights);
      if (sort !== "n:asc") sortInstances(this.chosen, columns, sort);
      tellSelected(this);
    }
    const size = state.view === "pictures" ? TILES : ROWS;
    const pages = Math.max(1, Math.ceil(this.chosen.length / size));
    state.page = String(Math.min(pages, Math.max(1, Number.parseInt(state.page, 10) || 1)));
    const first = (Number(state.page) - 1) * size;
    const page = this.chosen.subarray(first, first + size);
    this.part("tally").textContent =
      `${plural(this.chosen.length, "instance")} of ${showCount(section.instances.n)}` +
      (pages > 1 ? `, showing ${showCount(first + 1)} to ${showCount(first + page.length)}` : "");
    this.part("page").textContent = `Page ${showCount(Number(state.page))} of ${showCount(pages)}`;
    this.part("previous").disabled = state.page === "1";
    this.part("next").disabled = Number(state.page) === pages;
    this.part("pager").hidden = pages === 1;
    this.part("rows").replaceChildren(
      !page.length
        ? make("p", { class: "hint" }, "No instance matches. Clear the filters to see all.")
        : state.view === "pictures" ? this.gallery(page) : this.table(page, columns, sort),
    );
    this.showDetail();
    if (this.map) {
      // In another order they lie at the same places.
      const look = JSON.stringify([...filters, state.color]);
      if (look !== this.looked) this.map.draw(mapGroups(section, state, this.weights), this.chosen);
      this.looked = look;
    }
  }

  table(page, columns, sort) {
    const [key, direction] = sort.split(":");
    const head = columns.map((column) => {
      const sorted = column.key === key && column.value;
      const properties = { scope: "col", class: column.numeric ? "num" : undefined };
      if (!column.value) return make("th", properties, column.title);
      if (sorted) properties["aria-sort"] = direction === "desc" ? "descending" : "ascending";
      const button = make("button", { type: "button", class: "sorter" }, column.title);
      button.addEventListener("click", () => {
        this.change({ sort: `${column.key}:${sorted && direction === "asc" ? "desc" : "asc"}` });
        this.part("rows").querySelector("th[aria-sort] button")?.focus();
      });
      return make("th", properties, button);
    });
    const rows = [...page].map((i) => {
      const cells = columns.map((column) => make(column.key === "n" ? "th" : "td", {
        class: column.numeric ? "num" : column.text ? textClass(column.cell(i)) : undefined,
        scope: column.key === "n" ? "row" : undefined,
      }, column.key === "n" ? this.opener(i) : column.text ? shortened(column.cell(i)) : column.cell(i)));
      return make("tr", { class: this.isPicked(i) ? "picked" : undefined }, ...cells);
    });
    const caption = make("caption", { class: "sr" }, "Instances; the headings sort.");
    const table = make("table", { class: "instances" }, caption, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
    return make("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": `Table of instances, ${this.title}` }, table);
  }

  opener(i) {
    const position = String(this.section.instances.position(i));
    const button = make("button", { type: "button", class: "link", "aria-label": `Show instance ${position}` }, position);
    button.addEventListener("click", () => this.change({ i: position }));
    return button;
  }

  gallery(page) {
    const { section } = this;
    const { instances } = section;
    const { p, q } = this.state;
    const name = (coded, i) => coded.names[coded.codes[i]];
    const tiles = [...page].map((i) => {
      const position = String(instances.position(i));
      const unseen = (text) => make("span", { class: "sr" }, text);
      const said = section.alone
        ? make("span", { class: "said" }, unseen(`Instance ${position}: cluster `), make("b", {}, name(instances.models.get(p), i)))
        : make(
            "span",
            { class: "said" },
            unseen(`Instance ${position}: truth `),
            make("b", {}, name(instances.truth, i)),
            make("br"),
            unseen(`${section.solo ? p : `${p} | ${q}`}: `),
            section.solo ? name(instances.models.get(p), i) : `${name(instances.models.get(p), i)} | ${name(instances.models.get(q), i)}`,
          );
      const button = make("button", { type: "button", class: `tile${this.isPicked(i) ? " picked" : ""}`, title: `Instance ${position}` }, instances.picture(i, 56), said);
      if (section.kind === "clustering" && this.state.cell) {
        const pairs = this.weights[CELLS.indexOf(this.state.cell)][i];
        said.append(make("br"), plural(pairs, "pair"));
      }
      button.addEventListener("click", () => this.change({ i: position }));
      return make("li", {}, button);
    });
    const key = section.alone
      ? make("p", { class: "hint" }, `Below each picture: its cluster by ${p}.`)
      : make("p", { class: "hint" }, "Below each picture: ", make("b", {}, "truth"), `, then ${section.solo ? p : `${p} | ${q}`}.`);
    return make("div", {}, key, make("ul", { class: "tiles" }, ...tiles));
  }

  isPicked(i) {
    return this.state.i !== "" && this.section.instances.position(i) === Number(this.state.i);
  }

  // Everything about one instance; unless one was chosen, the first of those listed.
  showDetail() {
    const { instances } = this.section;
    const detail = this.part("detail");
    const picked = this.indexOf(this.state.i);
    const i = picked >= 0 || !this.chosen.length ? picked : this.chosen[0];
    if (this.map) this.map.mark(i);
    if (i < 0) {
      detail.replaceChildren();
      return;
    }
    const { truth } = instances;
    const rows = truth ? [["Truth", truth.names[truth.codes[i]]]] : [];
    for (const model of this.section.models) {
      const coded = instances.models.get(model);
      const right = instances.right.get(model);
      rows.push([model, coded.names[coded.codes[i]], right && (right[i] ? "right" : "wrong")]);
    }
    if (this.weights && this.section.kind === "clustering") {
      CELLS.forEach((cell, c) => {
        if (cellTitle(this.section, cell)) rows.push([`Pairs ${cellTitle(this.section, cell)}`, showCount(this.weights[c][i])]);
      });
    }
    for (const column of instances.columns) rows.push([column.name, column.show(i)]);
    const list = make("dl", {}, ...rows.map(([term, value, mark]) =>
      make("div", { class: isLong(value) ? "long" : undefined }, make("dt", {}, term), make("dd", {}, value, mark ? make("span", { class: `mark ${mark}` }, mark) : null)),
    ));
    detail.replaceChildren(
      make("p", { class: "name" }, `Instance ${instances.position(i)}`),
      ...(instances.picture ? [instances.picture(i, 128)] : []),
      list,
    );
  }

  indexOf(position) {
    const { instances } = this.section;
    if (position === "") return -1;
    const wanted = Number(position);
    for (let i = 0; i < instances.n; i++) if (instances.position(i) === wanted) return i;
    return -1;
  }
}
