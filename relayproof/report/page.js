"use strict";
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const GUTTER = 150, RIGHT = 16, LANE = 50, TOP = 8, AXIS = 24;

  function node(name, attributes, title) {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (title) {
      const told = document.createElementNS(NS, "title");
      told.textContent = title;
      made.append(told);
    }
    return made;
  }

  // Each mark as a path around (x, y); y is the lane's wire.
  const SHAPES = {
    "out": (x, y) => `M${x} ${y - 1}l-4 -7h8z`,
    "recovery-out": (x, y) => `M${x} ${y - 1}l-5.5 -10h11z`,
    "in": (x, y) => `M${x} ${y + 1}l-3 6h6z`,
    "recovery-in": (x, y) => `M${x} ${y + 1}l-5 9h10z`,
    "odd-out": (x, y) => `M${x - 3.5} ${y - 9}h7v7h-7z`,
    "odd-in": (x, y) => `M${x - 3.5} ${y + 2}h7v7h-7z`,
    "call": (x, y) => `M${x} ${y}l-4 -7h8z`,
    "answer": (x, y) => `M${x} ${y + 2}l-3 6h6z`,
    "note": (x, y) => `M${x} ${y - 13}v20`,
    "fault": (x, y) => `M${x - 5} ${y - 5}l10 10m0 -10l-10 10`,
    "refused": (x, y) => `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`,
    "close": (x, y) => `M${x} ${y - 8}v16`,
    "relay": (x, y) => `M${x - 5} ${y - 5}h10v10h-10z`,
    "relay-up": (x, y) => `M${x - 5} ${y - 5}h10v10h-10z`,
  };
  const LEGEND = [
    ["HEALTHY", "HEALTHY"], ["DISCONNECTED", "DISCONNECTED"], ["DEAD", "DEAD"], ["recovery-out", "recovery asked"],
    ["recovery-in", "recovery answered"], ["out", "request"], ["in", "answer"], ["odd-in", "illegal frame"],
    ["close", "close frame"], ["fault", "fault"], ["ping", "ping"], ["shade", "expected window"],
  ];

  function ticks(from, to) {
    const rough = (to - from) / 8, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
    const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const made = [];
    for (let at = Math.ceil(from / step) * step; at <= to + 1e-9; at += step) made.push([at, at.toFixed(places)]);
    return made;
  }

  function draw(canvas, data, from, to) {
    const width = Math.max(560, canvas.clientWidth), height = TOP + data.lanes.length * LANE + AXIS;
    const scale = (width - GUTTER - RIGHT) / (to - from);
    const x = (at) => Math.round((GUTTER + (at - from) * scale) * 10) / 10;
    const clip = (at) => Math.min(width - RIGHT, Math.max(GUTTER, x(at)));
    const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "time line" });
    const bottom = TOP + data.lanes.length * LANE;
    for (const [at, text] of ticks(from, to)) {
      svg.append(node("line", { class: "rule-line", x1: x(at), x2: x(at), y1: TOP, y2: bottom }));
      const label = node("text", { class: "axis", x: x(at), y: bottom + 16, "text-anchor": "middle" });
      label.textContent = `${text} s`;
      svg.append(label);
    }
    for (const [lane, start, end, was, kind, title] of data.shades) {
      if (end < from || start > to) continue;
      const y = lane < 0 ? TOP : TOP + lane * LANE + 2, tall = lane < 0 ? bottom - TOP : LANE - 4;
      const group = node("g", { class: kind }, title);
      group.append(node("rect", { class: "shade", x: clip(start), y, width: Math.max(2, clip(end) - clip(start)), height: tall, rx: 3 }));
      if (was !== null && was >= from && was <= to) group.append(node("line", { class: "was", x1: x(was), x2: x(was), y1: y, y2: y + tall }));
      svg.append(group);
    }
    data.lanes.forEach((lane, place) => drawLane(svg, lane, TOP + place * LANE, { x, clip, from, to, width }));
    canvas.replaceChildren(svg);
    zooming(canvas, svg, data, from, to, (px) => from + (px - GUTTER) / scale, width);
  }

  function drawLane(svg, lane, y, { x, clip, from, to, width }) {
    if (y > TOP) svg.append(node("line", { class: "rule-line", x1: 0, x2: width, y1: y, y2: y }));
    const name = node("text", { x: 12, y: y + LANE / 2 + 4 }, lane.name);
    name.append(lane.name.length > 20 ? `${lane.name.slice(0, 19)}…` : lane.name);
    svg.append(name);
    for (const [start, end, status, title] of lane.bands) {
      if (end < from || start > to) continue;
      const wide = Math.max(1, clip(end) - clip(start));
      const known = ["HEALTHY", "DISCONNECTED", "DEAD"].includes(status) ? status : "other";
      svg.append(node("rect", { class: known, x: clip(start), y: y + 6, width: wide, height: 14, rx: 2 }, title));
      if (wide > status.length * 7 + 10) {
        const text = node("text", { class: "in-band", x: clip(start) + 5, y: y + 17, "pointer-events": "none" });
        text.textContent = status;
        svg.append(text);
      }
    }
    const wire = y + 34;
    for (const [start, end, title] of lane.conns) {
      if (end < from || start > to) continue;
      svg.append(node("line", { class: "wire", x1: clip(start), x2: clip(end), y1: wire, y2: wire }, title));
      for (const at of [start, end]) {
        if (at >= from && at <= to) svg.append(node("line", { class: "cap", x1: x(at), x2: x(at), y1: wire - 5, y2: wire + 5 }));
      }
    }
    const pings = lane.pings.filter((at) => at >= from && at <= to).map((at) => `M${x(at)} ${wire - 3}v6`).join("");
    if (pings) svg.append(node("path", { class: "ping", d: pings }, "pings of the relay"));
    for (const [at, kind, title] of lane.marks) {
      if (at < from || at > to) continue;
      const style = kind === "note" ? "note-mark" : kind;
      svg.append(node("path", { class: style, d: SHAPES[kind](x(at), wire) }, `${at.toFixed(3)} s  ${title}`));
    }
  }

  function zooming(canvas, svg, data, from, to, timeOf, width) {
    let start = null, pick = null;
    const px = (event) => {
      const box = svg.getBoundingClientRect();
      return Math.min(width - RIGHT, Math.max(GUTTER, (event.clientX - box.left) * width / box.width));
    };
    svg.addEventListener("pointerdown", (event) => {
      start = px(event);
      pick = node("rect", { class: "pick", x: start, y: TOP, width: 0, height: data.lanes.length * LANE });
      svg.append(pick);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (start === null) return;
      const now = px(event);
      pick.setAttribute("x", Math.min(start, now));
      pick.setAttribute("width", Math.abs(now - start));
    });
    svg.addEventListener("pointerup", (event) => {
      if (start === null) return;
      const [a, b] = [start, px(event)].sort((one, other) => one - other);
      start = null;
      pick.remove();
      if (b - a > 6) draw(canvas, data, Math.max(0, timeOf(a)), Math.min(data.end_s, timeOf(b)));
    });
    svg.addEventListener("dblclick", () => draw(canvas, data, 0, data.end_s));
  }

  function legend(place, data) {
    for (const [kind, word] of LEGEND) {
      const icon = node("svg", { viewBox: "0 0 16 12" });
      if (["HEALTHY", "DISCONNECTED", "DEAD"].includes(kind)) icon.append(node("rect", { class: kind, x: 0, y: 1, width: 16, height: 10, rx: 2 }));
      else if (kind === "shade") { const g = node("g", { class: "info" }); g.append(node("rect", { class: "shade", x: 1, y: 1, width: 14, height: 10 })); icon.append(g); }
      else if (kind === "ping") icon.append(node("path", { class: "ping", d: "M4 2v8M8 2v8M12 2v8" }));
      else icon.append(node("path", { class: kind, d: SHAPES[kind](8, /in$/.test(kind) ? 1 : /out$/.test(kind) ? 12 : 6) }));
      const entry = document.createElement("span");
      entry.append(icon, word);
      place.append(entry);
    }
    if (data.left_out) place.append(`${data.left_out} more executors are left out`);
  }

  const opened = (details) => {
    const canvas = details.querySelector(".canvas");
    if (!details.open || !canvas || canvas.firstChild) return;
    const data = JSON.parse(details.querySelector("script").textContent);
    data.end_s = Math.max(data.end_s, 0.001);
    legend(details.querySelector(".legend"), data);
    draw(canvas, data, 0, data.end_s);
  };
  const scenarios = [...document.querySelectorAll(".scenario")];
  for (const each of scenarios) each.addEventListener("toggle", () => opened(each));

  const chosen = { verdict: new Set(), world: new Set(), family: new Set() };
  const search = document.getElementById("search"), clear = document.getElementById("clear");
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const each of scenarios) {
      const clauses = each.dataset.clauses, text = `${each.querySelector("summary").textContent} ${clauses}`.toLowerCase();
      const fits = (!chosen.verdict.size || chosen.verdict.has(each.dataset.verdict))
        && (!chosen.world.size || chosen.world.has(each.dataset.world))
        && (!chosen.family.size || clauses.split(" ").some((clause) => chosen.family.has(clause.split("-")[0])))
        && words.every((word) => text.includes(word));
      each.hidden = !fits;
      shown += fits;
    }
    document.getElementById("shown").textContent = shown;
    document.getElementById("none").hidden = shown > 0;
    clear.hidden = !words.length && Object.values(chosen).every((set) => !set.size);
  }
  for (const kind of Object.keys(chosen)) {
    for (const button of document.querySelectorAll(`button[data-${kind}]`)) {
      button.addEventListener("click", () => {
        const set = chosen[kind], value = button.dataset[kind];
        if (!set.delete(value)) set.add(value);
        button.setAttribute("aria-pressed", set.has(value));
        filter();
      });
    }
  }
  search.addEventListener("input", filter);
  clear.addEventListener("click", () => {
    search.value = "";
    for (const set of Object.values(chosen)) set.clear();
    for (const button of document.querySelectorAll("button[aria-pressed=true]")) button.setAttribute("aria-pressed", "false");
    filter();
  });
  function follow() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    const folded = target.closest("details");
    if (folded) folded.open = true;
    if (target.matches("details")) target.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  addEventListener("resize", () => {
    for (const each of scenarios) {
      const canvas = each.querySelector(".canvas");
      if (each.open && canvas) { canvas.replaceChildren(); each.querySelector(".legend").replaceChildren(); opened(each); }
    }
  });
  follow();
})();
