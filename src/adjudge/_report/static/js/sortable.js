// Tables that came with the page and whose headings sort them: by data-value where a cell has one, else by text.

// Where rows are cards, each cell says what it is.
function nameCells(table) {
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
  for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, column) => (cell.dataset.head = heads[column]));
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (head.hasAttribute("data-fixed")) return;
    const button = make("button", { type: "button", class: "sorter" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "ascending" : "descending");
      sortRows(table.tBodies[0], column, descending ? 1 : -1);
    });
  });
}

function sortRows(body, column, sign) {
  const key = (row) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.value);
  };
  const rows = [...body.rows].map((row, place) => ({ row, place, key: key(row) }));
  rows.sort((a, b) => {
    const [x, y] = [Number.isNaN(a.key), Number.isNaN(b.key)];
    if (x || y) return x - y || a.place - b.place;
    return a.key < b.key ? -sign : a.key > b.key ? sign : a.place - b.place;
  });
  body.append(...rows.map(({ row }) => row));
}
