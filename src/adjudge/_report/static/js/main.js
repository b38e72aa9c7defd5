document.documentElement.classList.add("live-page");
document.querySelectorAll("table.cards").forEach(nameCells);
document.querySelectorAll("table[data-sortable]").forEach(makeSortable);

const explorers = new Map();

async function explore() {
  for (const root of document.querySelectorAll("section[data-section]")) {
    const section = await readSection(root.querySelector("script.section-data"));
    if (section.best || section.instances) explorers.set(root.id, new Explorer(root, section));
  }
  explorers.forEach((explorer) => explorer.adopt({}));
  follow();
  addEventListener("hashchange", follow);
}

// Show what the fragment says; sections that it does not mention keep their view.
function follow() {
  const { id, state } = readFragment();
  const explorer = explorers.get(id);
  if (!explorer) return;
  explorer.adopt(state);
  if (Object.keys(state).length) part(explorer.root, explorer.section.best ? "duel" : "explorer").scrollIntoView();
}

whenAsked(() => explorers.forEach(tellSelected));
explore();
listParts(document.querySelector(".bar-nav"));

document.querySelectorAll("[data-download]").forEach((button) =>
  button.addEventListener("click", () => {
    const text = document.getElementById("adjudge-results").textContent;
    const link = make("a", { download: button.dataset.download });
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }),
);
