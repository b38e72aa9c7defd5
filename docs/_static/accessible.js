// What the theme leaves out for those who read with a keyboard or by ear.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll('[role="heading"]:not([aria-level])').forEach((at) => at.setAttribute("aria-level", "2"));
  document.querySelectorAll("aside.sidebar-drawer").forEach((at) => at.setAttribute("aria-label", "All pages"));
  document.querySelectorAll("aside.toc-drawer").forEach((at) => at.setAttribute("aria-label", "On this page"));
  document.querySelectorAll("pre, .table-wrapper").forEach((at) => at.setAttribute("tabindex", "0"));
});
