"use strict";
// Links pictures and tables, and looks up nodes. Without this script the page has all
// pictures and tables, the clusters in their first order. Text from outside only ever becomes text.
(() => {
  const PAGE = 50;
  const MOST_FOUND = 20;
  const CONDUCTANCE = 3;
  const make = (tag, text) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const number = (value) => value.toLocaleString("en");

  // -- clusters in pictures and in the table

  const table = document.querySelector("table.clusters");
  const body = table.tBodies[0];
  const rowOf = new Map(Array.from(body.rows, (row) => [row.cells[0].textContent, row]));
  const pictures = document.querySelector(".pictures");
  const drawn = new Map();
  for (const element of document.querySelectorAll("svg [data-c]")) {
    for (const cluster of element.dataset.c.split(" ")) {
      if (!drawn.has(cluster)) drawn.set(cluster, []);
      drawn.get(cluster).push(element);
    }
  }
  const tip = make("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);
  let chosen = null;
  let lit = [];

  const light = (clusters) => {
    for (const element of lit) element.classList.remove("lit");
    lit = clusters.flatMap((cluster) => [...(drawn.get(cluster) ?? []), rowOf.get(cluster)]);
    for (const element of lit) element.classList.add("lit");
    if (pictures) pictures.classList.toggle("choosing", clusters.some((cluster) => drawn.has(cluster)));
  };
  const rest = () => light(chosen === null ? [] : [chosen]);

  const describe = (clusters) => {
    if (clusters.length > 1) return `clusters ${clusters.slice(0, 12).join(", ")}${clusters.length > 12 ? " …" : ""}`;
    const cells = Array.from(rowOf.get(clusters[0]).cells, (cell) => cell.textContent);
    return `cluster ${cells[0]}: ${cells[1]} nodes, conductance ${cells[3]}, stability over seeds ${cells[4]}; ${cells[cells.length - 1]}`;
  };

  const choose = (cluster) => {
    chosen = chosen === cluster ? null : cluster;
    for (const row of body.querySelectorAll("[aria-pressed=true]")) row.setAttribute("aria-pressed", "false");
    rest();
    if (chosen === null) {
      shown.textContent = place();
      return;
    }
    search.value = "";
    first = Math.floor(rows.indexOf(rowOf.get(cluster)) / PAGE) * PAGE;
    show();
    const pictured = new Set((drawn.get(cluster) ?? []).map((element) => element.closest("figure"))).size;
    shown.textContent += pictured ? `; cluster ${cluster} is marked in ${pictured} pictures` : `; cluster ${cluster}`;
    const button = rowOf.get(cluster).querySelector("button");
    button.setAttribute("aria-pressed", "true");
    button.focus({ preventScroll: true });
    rowOf.get(cluster).scrollIntoView({ block: "nearest" });
  };

  if (pictures) {
    pictures.addEventListener("mousemove", (event) => {
      const element = event.target.closest("[data-c]");
      tip.hidden = element === null;
      if (element === null) return rest();
      const clusters = element.dataset.c.split(" ");
      light(clusters);
      tip.textContent = describe(clusters);
      const right = document.documentElement.clientWidth - tip.offsetWidth - 8;
      tip.style.left = `${Math.max(8, Math.min(event.clientX + 12, right))}px`;
      tip.style.top = `${event.clientY + 16}px`;
    });
    pictures.addEventListener("mouseleave", () => { tip.hidden = true; rest(); });
    pictures.addEventListener("click", (event) => {
      const element = event.target.closest("[data-c]");
      tip.hidden = true;
      if (element !== null) choose(element.dataset.c.split(" ")[0]);
    });
  }
  body.addEventListener("mouseover", (event) => {
    const row = event.target.closest("tr");
    if (row) light([row.cells[0].textContent]);
  });
  body.addEventListener("mouseleave", rest);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-cluster]");
    if (button !== null) choose(button.dataset.cluster);
  });

  const clusterButton = (cluster, text = String(cluster)) => {
    const button = make("button", text);
    button.className = "cluster";
    button.dataset.cluster = String(cluster);
    return button;
  };

  // -- the table: sorted, searched and in pages

  const tools = table.closest("section").querySelector(".tools");
  const [search] = tools.getElementsByTagName("input");
  const [back, forth] = tools.getElementsByTagName("button");
  const shown = tools.querySelector("output");
  let rows = Array.from(body.rows);
  let first = 0;
  let kept = rows;
  table.classList.toggle("long", rows.length > 500);

  const place = () =>
    kept.length ? `${number(first + 1)} to ${number(Math.min(first + PAGE, kept.length))} of ${number(kept.length)}` : "none";

  // A number is a cluster, anything else part of the name of a central node.
  const matches = (wanted) => {
    if (/^\d+$/.test(wanted)) return (row) => row.cells[0].textContent === String(Number(wanted));
    return (row) => row.cells[row.cells.length - 1].textContent.toLowerCase().includes(wanted);
  };

  const value = (row, column) => {
    const found = parseFloat(row.cells[column].textContent.trim().replaceAll(",", ""));
    return Number.isNaN(found) ? -Infinity : found;
  };

  const show = () => {
    const wanted = search.value.trim().toLowerCase();
    kept = wanted ? rows.filter(matches(wanted)) : rows;
    first = Math.min(first, Math.max(0, Math.floor((kept.length - 1) / PAGE) * PAGE));
    for (const row of rows) row.hidden = true;
    for (const row of kept.slice(first, first + PAGE)) {
      row.hidden = false;
      const [head] = row.cells;
      if (head.firstElementChild === null) {
        const button = clusterButton(head.textContent);
        button.setAttribute("aria-pressed", "false");
        head.replaceChildren(button);
        const bar = make("i");
        bar.style.width = `${100 * Math.max(0, value(row, CONDUCTANCE))}%`;
        row.cells[CONDUCTANCE].append(bar);
      }
    }
    shown.textContent = place();
    back.disabled = first === 0;
    forth.disabled = first + PAGE >= kept.length;
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

  Array.from(table.tHead.rows[0].cells).slice(0, -1).forEach((head, column) => {
    const button = make("button", head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => sort(head, column));
  });
  search.addEventListener("input", () => { first = 0; show(); });
  back.addEventListener("click", () => { first -= PAGE; show(); });
  forth.addEventListener("click", () => { first += PAGE; show(); });
  show();

  // -- levels: a map of clusters in clusters, made of the tables

  const map = document.querySelector(".map");
  const colors = map?.dataset.colors.split(" ");

  const makeTree = () => {
    const levels = [new Map()];
    const top = { parts: [] };
    const put = (level, [cluster, nodes, conductance, inside, names]) => {
      const above = levels[level - 1].get(inside) ?? top;
      const part = { level, cluster, size: Number(nodes.replaceAll(",", "")), out: parseFloat(conductance), names, above, parts: [] };
      if (levels.length === level) levels.push(new Map());
      levels[level].set(cluster, part);
      if (part.size) above.parts.push(part);
    };
    const texts = (row, columns) => columns.map((column) => row.cells[column].textContent.trim());
    for (const row of document.querySelector("table.parts").tBodies[0].rows) {
      put(Number(row.cells[0].textContent), texts(row, [1, 2, 4, 5, 7]));
    }
    const heads = Array.from(table.tHead.rows[0].cells, (head) => head.textContent);
    const columns = [0, 1, CONDUCTANCE, heads.indexOf("inside"), heads.length - 1];
    const finest = levels.length;
    for (const row of rows) put(finest, texts(row, columns));
    return top;
  };

  // Rectangles of areas by size, in per cent of a box about twice as wide as high: halves of halves.
  const divide = (parts, [x, y, width, height], draw) => {
    if (parts.length === 1) return draw(parts[0], [x, y, width, height]);
    const total = parts.reduce((sum, part) => sum + part.size, 0);
    let n = 1;
    let size = parts[0].size;
    while (n < parts.length - 1 && size + parts[n].size / 2 < total / 2) size += parts[n++].size;
    const share = size / total;
    const [a, b] = 2 * width > height
      ? [[x, y, width * share, height], [x + width * share, y, width * (1 - share), height]]
      : [[x, y, width, height * share], [x, y + height * share, width, height * (1 - share)]];
    divide(parts.slice(0, n), a, draw);
    divide(parts.slice(n), b, draw);
  };

  const openMap = (part) => {
    const put = (element, box) => {
      ["left", "top", "width", "height"].forEach((side, i) => { element.style[side] = `${box[i]}%`; });
      return element;
    };
    const paint = (element, each) => {
      const [color, share] = each.parts.length ? ["var(--bar)", each.out] : [colors[each.cluster % colors.length], 0.5];
      element.style.background = `color-mix(in srgb, ${color} ${100 * share}%, var(--card))`;
      return element;
    };
    map.replaceChildren();
    divide(part.parts, [0, 0, 100, 100], (each, box) => {
      const button = paint(put(make("button"), box), each);
      const label = `${each.cluster}: ${number(each.size)} nodes, ${each.names}`;
      const inner = make("span");
      button.title = `cluster ${label}; conductance ${each.out}`;
      button.append(label, inner);
      if (each.parts.length) divide(each.parts, [0, 0, 100, 100], (one, at) => inner.append(paint(put(make("i"), at), one)));
      button.classList.toggle("whole", each.parts.length > 0);
      button.addEventListener("click", () => {
        if (!each.parts.length) return choose(each.cluster);
        openMap(each);
        map.firstElementChild.focus({ preventScroll: true });
      });
      map.append(button);
    });
    const trail = [];
    for (let each = part; each; each = each.above) {
      const button = make("button", each.above ? `cluster ${each.cluster} of level ${each.level}` : "all");
      button.addEventListener("click", () => openMap(each));
      trail.unshift(button, " \u203a ");
    }
    document.querySelector(".trail").replaceChildren(...trail, `${number(part.parts.length)} parts`);
  };
  if (map) openMap(makeTree());

  // -- nodes by name

  const finder = document.querySelector(".finder");

  const entry = (nodes, i) => {
    const item = make("li");
    const label = nodes.labels[i];
    item.append(make("bdi", nodes.names ? nodes.names[i] : String(i)), ": ");
    if (label < 0) {
      item.append("in no cluster");
      return item;
    }
    item.append(clusterButton(label, `cluster ${label}`));
    if (nodes.stability?.[i] >= 0) item.append(`, stability over seeds ${(nodes.stability[i] / 100).toFixed(2)}`);
    const shares = nodes.near
      .map((clusters, rank) => [clusters[i], nodes.shares[rank][i]])
      .filter(([cluster]) => cluster >= 0)
      .map(([cluster, share]) => `${share} % in ${cluster}`);
    if (shares.length) item.append(`; ${shares.join(", ")}`);
    return item;
  };

  // The node of that name first, then names that begin so, then those that contain it.
  const find = (nodes, wanted) => {
    if (nodes.names === null) {
      const i = Number(wanted);
      return /^\d+$/.test(wanted) && i < nodes.labels.length ? [i] : [];
    }
    const groups = [[], [], []];
    for (let i = 0; i < nodes.folded.length; i++) {
      const at = nodes.folded[i].indexOf(wanted);
      if (at >= 0) groups[at > 0 ? 2 : nodes.folded[i].length === wanted.length ? 0 : 1].push(i);
    }
    return groups.flat();
  };

  const startFinder = (nodes) => {
    const [input] = finder.getElementsByTagName("input");
    const list = finder.querySelector("ul");
    if (nodes.names) nodes.folded = nodes.names.map((name) => name.toLowerCase());
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      const found = wanted ? find(nodes, wanted) : [];
      const items = found.slice(0, MOST_FOUND).map((i) => entry(nodes, i));
      if (found.length > MOST_FOUND) items.push(make("li", `and ${number(found.length - MOST_FOUND)} more`));
      if (wanted && !found.length) items.push(make("li", "no node of that name is listed"));
      list.replaceChildren(...items);
    });
  };

  const unpack = async () => {
    const packed = atob(document.getElementById("data").textContent);
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };

  const reveal = (which) => { for (const element of document.querySelectorAll(which)) element.hidden = false; };
  reveal("[data-script='']");
  // A browser that cannot unpack the data has the rest of the page.
  unpack().then((nodes) => {
    startFinder(nodes);
    reveal("[data-script=data]");
  });
})();
