"use strict";
// Sorts, filters and pages the table of clusters. Without this script the table is whole and in its first order.
(() => {
  const PAGE = 50;
  const table = document.querySelector("table.clusters");
  const body = table.tBodies[0];
  const tools = document.querySelector(".tools");
  const [search] = tools.getElementsByTagName("input");
  const [back, forth] = tools.getElementsByTagName("button");
  const shown = tools.querySelector("output");
  let rows = Array.from(body.rows);
  let first = 0;

  const value = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = parseFloat(text.replaceAll(",", ""));
    return Number.isNaN(number) ? -Infinity : number;
  };

  const show = () => {
    const wanted = search.value.trim().toLowerCase();
    const kept = rows.filter((row) => !wanted || row.textContent.toLowerCase().includes(wanted));
    first = Math.min(first, Math.max(0, Math.floor((kept.length - 1) / PAGE) * PAGE));
    for (const row of rows) row.hidden = true;
    for (const row of kept.slice(first, first + PAGE)) row.hidden = false;
    const last = Math.min(first + PAGE, kept.length);
    shown.textContent = kept.length ? `${first + 1} to ${last} of ${kept.length}` : "none";
    back.disabled = first === 0;
    forth.disabled = last === kept.length;
  };

  const sort = (head, column) => {
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = rows.map((row) => [value(row, column), row]);
    keyed.sort((a, b) => (down ? b[0] - a[0] : a[0] - b[0]) || 0);
    rows = keyed.map((pair) => pair[1]);
    body.append(...rows);
    first = 0;
    show();
  };

  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    if (column === table.tHead.rows[0].cells.length - 1) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => sort(head, column));
  });
  search.addEventListener("input", () => { first = 0; show(); });
  back.addEventListener("click", () => { first -= PAGE; show(); });
  forth.addEventListener("click", () => { first += PAGE; show(); });
  tools.hidden = false;
  show();
})();
