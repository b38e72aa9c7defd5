// The bar on top: below the sections, the parts of the one that is being read.

// What lies higher than this has been read, or is about to be.
const READ = 140;

function listParts(bar) {
  const sections = [...document.querySelectorAll("section.block")].map((section) => ({ section, parts: partsOf(section) }));
  for (const item of sections) {
    if (item.parts.length < 2) continue;
    item.list = make("ul", { class: "parts", "aria-label": `Parts of ${item.section.querySelector("h2").textContent}`, hidden: true });
    for (const entry of item.parts) {
      entry.link = make("a", { href: `#${entry.heading.id}` }, entry.heading.textContent);
      item.list.append(make("li", {}, entry.link));
    }
    bar.append(item.list);
  }
  const follow = () => showWhere(bar, sections);
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      follow();
    });
  }, { passive: true });
  follow();
}

function partsOf(section) {
  const headings = [...section.querySelectorAll("h3")].filter((heading) => heading.offsetParent !== null);
  return headings.map((heading, i) => {
    heading.id ||= `${section.id}-part-${i + 1}`;
    return { heading };
  });
}

function showWhere(bar, sections) {
  const isRead = (element) => element.getBoundingClientRect().top < READ;
  const current = sections.findLast((item) => isRead(item.section)) ?? sections[0];
  for (const { section, list, parts } of sections) {
    mark(bar.querySelector(`a[href="#${CSS.escape(section.id)}"]`), section === current.section);
    if (!list) continue;
    list.hidden = section !== current.section;
    const part = parts.findLast(({ heading }) => isRead(heading));
    for (const entry of parts) mark(entry.link, entry === part);
  }
}

// Mark a link, and bring it into view in a bar that is narrower than its links.
function mark(link, isCurrent) {
  if (!link || (link.getAttribute("aria-current") === "true") === isCurrent) return;
  if (!isCurrent) {
    link.removeAttribute("aria-current");
    return;
  }
  link.setAttribute("aria-current", "true");
  const list = link.closest("ul");
  list.scrollTo({ left: link.offsetLeft - list.offsetLeft - 24 });
}
