"use strict";
(() => {
  const { columns, rows } = JSON.parse(document.getElementById("data").textContent);
  const head = document.querySelector("#table thead"), body = document.querySelector("#table tbody");
  const proof = document.getElementById("proof"), search = document.getElementById("search");
  const shown = new Set(columns.map((_, at) => at)), groups = new Set(), kinds = new Set();

  function node(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function differ(row) {
    const values = new Set([...shown].map((at) => row.cells[at]).filter((cell) => cell.measured).map((cell) => cell.value));
    return values.size > 1;
  }

  function wanted(row) {
    if (groups.size && !groups.has(row.group)) return false;
    const cells = [...shown].map((at) => row.cells[at]);
    if (kinds.has("source") && !cells.some((cell) => cell.source)) return false;
    if (kinds.has("documents") && !cells.some((cell) => cell.documents)) return false;
    if (kinds.has("unmeasured") && cells.every((cell) => cell.measured)) return false;
    if (kinds.has("languages") && !differ(row)) return false;
    const text = search.value.trim().toLowerCase();
    return !text || [row.id, row.title, ...cells.map((cell) => cell.value)].join(" ").toLowerCase().includes(text);
  }

  function cellOf(row, at) {
    const cell = row.cells[at], box = node("td", undefined, "cell"), button = node("button");
    button.append(node("span", cell.measured ? cell.value : "not measured", cell.measured ? "" : "none"));
    if (cell.timing) button.append(node("span", cell.timing, "timing"));
    for (const note of row.group === "messages" ? [] : cell.notes) button.append(node("span", note, "timing"));
    if (row.group === "messages" && cell.notes.length) button.append(node("span", "fields beside the catalogue", "timing"));
    if (kinds.has("declared")) button.append(node("span", `source: ${cell.declared || "not said"}`, "timing"));
    if (cell.source) button.append(node("span", "≠ source", "differs warn"));
    if (cell.documents) button.append(node("span", "≠ documents", "differs bad"));
    button.addEventListener("click", () => open(row, at));
    box.append(button);
    return box;
  }

  function draw() {
    const top = node("tr");
    top.append(node("th", "row"), node("th", "documents"));
    for (const at of [...shown].sort((a, b) => a - b)) top.append(node("th", columns[at].sdk));
    head.replaceChildren(top);
    const found = rows.filter(wanted);
    body.replaceChildren(...found.map((row) => {
      const line = node("tr"), name = node("td", row.title, "row");
      line.id = row.id;
      name.append(node("span", row.id, "id"));
      line.append(name, node("td", row.documented, "documents"));
      for (const at of [...shown].sort((a, b) => a - b)) line.append(cellOf(row, at));
      return line;
    }));
    document.getElementById("count").textContent = `${found.length} of ${rows.length} rows`;
  }

  function open(row, at) {
    const cell = row.cells[at], box = proof.querySelector("div"), facts = node("dl"), title = node("h2", row.title);
    title.id = "proof-title";
    const told = [
      ["SDK", columns[at].sdk], ["documented", row.documented + (row.expects ? ` (promised: ${row.expects})` : "")],
      ["declared", cell.declared || "not said"],
      ["observed", cell.measured ? cell.value : `not measured: ${cell.value}`],
      ["timing", cell.timing && `${cell.timing}, ${cell.samples} repetitions`], ["fields", cell.notes.join("\n")],
      ["detail", cell.detail], ["clauses", row.clauses.join(", ")], ["for relays", row.never],
    ];
    for (const [name, text] of told) if (text) facts.append(node("dt", name), node("dd", text));
    const frames = node("table"), names = node("tr");
    for (const name of ["s", "by", "frame", "bytes", "text"]) names.append(node("th", name));
    frames.append(names);
    for (const frame of cell.frames) {
      const line = node("tr", undefined, frame.by);
      line.append(node("td", frame.at_s.toFixed(3)), node("td", frame.by), node("td", frame.kind));
      line.append(node("td", frame.size_bytes || ""), node("td", frame.text || ""));
      frames.append(line);
    }
    box.replaceChildren(title, facts, cell.frames.length ? frames : node("p", "No frames: seen in the process or its database.", "note"));
    proof.showModal();
  }

  function chips(id, name, set, convert) {
    for (const chip of document.querySelectorAll(`#${id} .chip`)) {
      chip.addEventListener("click", () => {
        const value = convert(chip.dataset[name]);
        if (set.has(value)) set.delete(value); else set.add(value);
        chip.setAttribute("aria-pressed", String(set.has(value)));
        draw();
      });
    }
  }

  chips("groups", "group", groups, String);
  chips("sdks", "sdk", shown, Number);
  chips("kinds", "kind", kinds, String);
  search.addEventListener("input", draw);
  proof.addEventListener("click", (event) => { if (event.target === proof) proof.close(); });
  draw();
})();
