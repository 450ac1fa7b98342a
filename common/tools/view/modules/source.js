// SPDX-License-Identifier: MIT
// The source: choosing a line, and races as two arrows between their lines.
import {svg} from "view/dom";
import {showLine} from "view/panel";

const LANE = 16;  // pixels beside the source for each race
const HEAD = 5;

function rowOf(sheet, line) { return sheet.querySelector(`tr[data-line="${line}"]`); }

function arrow(x, from, to, bulge) {
    const turn = from === to ? 9 : 0;  // a line that races with itself: a loop
    const path = `M${x} ${from - turn}C${x - bulge} ${from - turn} ${x - bulge} ${to + turn} ${x} ${to + turn}`;
    const y = to + turn;
    return [svg("path", {d: path}), svg("path", {class: "head", d: `M${x} ${y}l${-HEAD * 1.6} ${-HEAD}v${HEAD * 2}z`})];
}

// The pairs of lines that race, each once: a race may be found in both orders.
function pairsOf(findings, sheet) {
    const pairs = new Map();
    for (const one of findings) {
        const inside = one.lines.every(([file, line]) => file === sheet.dataset.file && rowOf(sheet, line));
        if (one.race && inside) {
            const lines = one.lines.map(([, line]) => line).sort((a, b) => a - b);
            pairs.set(lines.join(), lines);
        }
    }
    return [...pairs.values()];
}

// Either access may come first: one arrow for each order.
function drawRaces(sheet, races) {
    sheet.querySelector(".arrows")?.remove();
    const gutter = LANE * races.length + LANE;
    sheet.style.paddingLeft = `${gutter}px`;
    const top = sheet.getBoundingClientRect().top;
    const middle = line => {
        const box = rowOf(sheet, line).getBoundingClientRect();
        return box.top + box.height / 2 - top;
    };
    const parts = races.flatMap((race, i) => {
        const [a, b] = race;
        const bulge = LANE * (i + 1);
        return [...arrow(gutter - 2, middle(a) - 3, middle(b) - 3, bulge), ...arrow(gutter - 2, middle(b) + 3, middle(a) + 3, bulge + 8)];
    });
    const label = `Races: ${races.map(([a, b]) => `line ${a} and line ${b}, in either order`).join("; ")}.`;
    sheet.prepend(svg("svg", {class: "arrows", width: gutter, height: sheet.offsetHeight, role: "img", "aria-label": label}, ...parts));
}

export function attachSource(article, program) {
    const panel = article.querySelector(".panel");
    const choose = (row, move) => {
        article.querySelectorAll(".chosen").forEach(one => {
            one.classList.remove("chosen");
            one.querySelector("button")?.removeAttribute("aria-current");
        });
        row.classList.add("chosen");
        row.querySelector("button")?.setAttribute("aria-current", "true");
        showLine(panel, program, row.closest(".sheet").dataset.file, Number(row.dataset.line), row);
        if (!move) return;
        const below = panel.getBoundingClientRect().top > row.getBoundingClientRect().bottom;
        if (below) panel.focus();  // the panel is below the source: go there
    };
    for (const sheet of article.querySelectorAll(".sheet")) {
        sheet.addEventListener("click", event => {
            const row = event.target.closest("tr.asks");
            if (row) choose(row, true);
        });
        const races = pairsOf(program.findings, sheet);
        if (races.length) {
            const draw = () => drawRaces(sheet, races);
            draw();
            new ResizeObserver(draw).observe(sheet.querySelector("table"));
        }
    }
    // A link to a line chooses it, too.
    for (const link of article.querySelectorAll('a[href^="#p"]')) {
        link.addEventListener("click", () => {
            const row = document.getElementById(decodeURIComponent(link.hash.slice(1)));
            if (row?.classList.contains("asks")) choose(row, false);
        });
    }
    // The line that a reader should see first: a finding's, or the one with the most waste.
    const found = program.findings.flatMap(one => one.lines).map(([file, line]) =>
        article.querySelector(`.sheet[data-file="${CSS.escape(file)}"] tr.asks[data-line="${line}"]`)).find(row => row);
    const worst = [4, 3, 2, 1].map(level => article.querySelector(`tr.asks.w${level}`)).find(row => row);
    const first = found ?? worst ?? article.querySelector("tr.asks");
    if (first) choose(first, false);
    else panel.remove();
}
