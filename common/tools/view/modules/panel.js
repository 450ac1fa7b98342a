// SPDX-License-Identifier: MIT
// The chosen line: what it asks, its findings, and its requests with a slider.
import {choice, counted, html, number, player} from "view/dom";
import {drawRequest} from "view/lanes";

function unitsOf(instruction) {
    return instruction.space === "global" ? "sector" : instruction.space === "shared" ? "wavefront" : "";
}

function describe(instruction, request) {
    const unit = unitsOf(instruction);
    const parts = [`Request ${number(request.number)} of ${number(instruction.requests)}`,
        `block ${request.block}, warp ${request.warp}` +
        (request.interval ? `, after ${counted(request.interval, "barrier")}` : "")];
    let lanes = 0;
    for (let lane = 0; lane < 32; ++lane) lanes += request.lanes >>> lane & 1;
    parts.push(counted(lanes, "lane"));
    if (unit) parts.push(`${counted(request.units, unit)} (ideal ${request.ideal})`);
    if (request.depth > 1) parts.push(`${request.depth} lanes meet in one word`);
    if (request.worst) parts.push("the most wasteful request");
    if (request.found) parts.push("a check found something here");
    return parts.join("; ") + ".";
}

function sayKept(instruction) {
    const kept = instruction.kept.length;
    if (kept === instruction.requests) return `All ${counted(kept, "request")} can be seen.`;
    return `${counted(kept, "request")} of ${number(instruction.requests)} can be seen: the first ones, numbers 8, 16, 32 and so on, ` +
        "the most wasteful one, and those in which a check found something. The others are left out.";
}

function requestView(instruction, objects) {
    const box = html("div");
    const drawn = html("div");
    const said = html("p", {"aria-live": "polite"});
    const slider = html("input", {type: "range", min: 0, max: instruction.kept.length - 1, value: 0, step: 1});
    // The first request that wastes something says more than the first one.
    const wasteful = instruction.kept.findIndex(one => one.found || one.units > one.ideal);
    slider.value = Math.max(wasteful, 0);
    const show = () => {
        const request = instruction.kept[Number(slider.value)];
        const text = describe(instruction, request);
        slider.setAttribute("aria-valuetext", text);
        said.textContent = text;
        const open = drawn.querySelector("details")?.open;
        drawn.replaceChildren(...drawRequest(instruction, request, objects));
        if (open) drawn.querySelector("details").open = true;
    };
    slider.addEventListener("input", show);
    const play = instruction.kept.length > 1 ? [player("requests", slider)] : [];
    box.append(html("label", {}, "Request ", slider), ...play, said, drawn, html("p", {class: "quiet"}, sayKept(instruction)));
    show();
    return box;
}

function nameOf(instruction, i, all) {
    const alike = all.filter(one => one.operation === instruction.operation && one.space === instruction.space &&
        one.bytes === instruction.bytes && one.kernel === instruction.kernel);
    const place = alike.length > 1 ? `, instruction ${alike.indexOf(instruction) + 1} of ${alike.length}` : "";
    return `${instruction.kernel}: ${instruction.space} ${instruction.operation} of ${instruction.bytes} B${place}`;
}

function sentence(text) { return text ? `${text[0].toUpperCase()}${text.slice(1)}.` : ""; }

function facts(row) {
    const names = [...row.closest("table").tHead.rows[0].cells].map(cell => cell.textContent);
    const values = [...row.cells].map(cell => cell.textContent.trim());
    const items = names.slice(1, -1).flatMap((name, i) => values[i + 1]
        ? [html("tr", {}, html("th", {scope: "row"}, name), html("td", {}, values[i + 1]))] : []);
    return html("table", {}, html("tbody", {}, ...items));
}

export function showLine(panel, program, file, line, row) {
    const about = [html("h3", {}, `${file}:${line}`), html("pre", {}, row.cells[row.cells.length - 1].textContent.trim()),
        facts(row)];
    for (const finding of program.findings) {
        if (finding.lines.some(([name, number]) => name === file && number === line)) {
            about.push(html("p", {class: "found-here"}, html("strong", {}, finding.kind), `: ${finding.text} ${sentence(finding.advice)}`));
        }
    }
    for (const one of program.explained) {
        if (one.file === file && one.line === line) {
            about.push(html("div", {class: "cure"}, html("p", {}, html("strong", {}, "Cause: "), sentence(one.cause)),
                html("p", {}, html("strong", {}, "Cure: "), sentence(one.cure))));
        }
    }
    const own = program.instructions.filter(one => one.file === file && one.line === line && one.kept.length);
    const asked = [];
    if (own.length) {
        const box = html("div");
        const show = i => box.replaceChildren(requestView(own[i], program.objects));
        if (own.length > 1) asked.push(choice("Instruction", own.map(nameOf), show));
        else asked.push(html("h4", {}, nameOf(own[0], 0, own)));
        asked.push(box);
        show(0);
    } else {
        asked.push(html("p", {class: "quiet"}, "No addresses are known for this line: it asks for no memory, or a copy unit does."));
    }
    panel.replaceChildren(html("div", {}, ...about), html("div", {}, ...asked));
}
