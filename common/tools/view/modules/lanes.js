// SPDX-License-Identifier: MIT
// One request of a warp: which words its lanes touched. Global memory is drawn in lines of 128
// bytes with four sectors each, shared memory in rows of 32 banks.
import {counted, drawing, key, svg, tableOf, wide} from "view/dom";

const LANES = 32;
const WORD = 4;
const SECTOR = 32;
const ROW = 128;
const CELL = 20;
const LEFT = 152;
const TOP = 22;
const MOST_ROWS = 32;

export function lanesOf(request, bytes, objects) {
    const lanes = [];
    let taken = 0;
    for (let lane = 0; lane < LANES; ++lane) {
        if ((request.lanes >>> lane & 1) === 0) continue;
        const id = request.objects[request.objects.length === 1 ? 0 : taken];
        const object = objects[id];
        const offset = request.offsets[taken++];
        lanes.push({lane, id, offset, address: object.base + offset, name: nameOf(object), bytes});
    }
    return lanes;
}

function nameOf(object) {
    if (object.name === "") return "memory without a name";
    if (object.name === "dynamic") return "dynamic shared memory";
    const allocation = /^a(\d+)$/.exec(object.name);
    return allocation ? `allocation ${allocation[1]}` : object.name;
}

// The rows of 128 bytes that the lanes touch, in the order of addresses: per word the lanes.
export function rowsOf(lanes) {
    const rows = new Map();
    for (const one of lanes) {
        for (let byte = one.address; byte < one.address + one.bytes;) {
            const row = Math.floor(byte / ROW);
            const name = `${one.id}:${row}`;
            if (!rows.has(name)) {
                rows.set(name, {id: one.id, name: one.name, first: row * ROW - (one.address - one.offset), row,
                    words: new Map()});
            }
            const word = Math.floor((byte - row * ROW) / WORD);
            const words = rows.get(name).words;
            words.set(word, [...words.get(word) ?? [], one.lane]);
            byte = row * ROW + (word + 1) * WORD;
        }
    }
    return [...rows.values()].sort((a, b) => a.id - b.id || a.row - b.row);
}

// How many different words the lanes need of each bank.
export function wordsPerBank(rows) {
    const banks = new Array(LANES).fill(0);
    for (const row of rows) for (const word of row.words.keys()) ++banks[word];
    return banks;
}

function sayLanes(lanes) {
    const all = [...new Set(lanes)];
    return all.length === 1 ? String(all[0]) : all.length === LANES ? "all" : `${all[0]}+`;
}

function drawRow(row, y, shared) {
    const parts = [svg("text", {x: 0, y: y + 14}, `${row.name.slice(0, 15)} ${row.first < 0 ? "−" : "+"}${Math.abs(row.first)}`)];
    for (let word = 0; word < LANES; ++word) {
        const x = LEFT + word * CELL;
        const sector = Math.floor(word * WORD / SECTOR);
        const fetched = !shared && [...row.words.keys()].some(one => Math.floor(one * WORD / SECTOR) === sector);
        const lanes = row.words.get(word);
        parts.push(svg("rect", {class: lanes ? "used" : fetched ? "vain" : "idle", x: x + .5, y: y + .5,
            width: CELL - 1, height: CELL - 1}));
        if (lanes) {
            parts.push(svg("text", {class: "in", x: x + CELL / 2, y: y + 14, "text-anchor": "middle"}, sayLanes(lanes)));
        }
    }
    if (!shared) {
        for (let sector = 0; sector < ROW / SECTOR; ++sector) {
            parts.push(svg("rect", {class: "frame", x: LEFT + sector * CELL * SECTOR / WORD, y,
                width: CELL * SECTOR / WORD, height: CELL}));
        }
    }
    return parts;
}

export function drawRequest(instruction, request, objects) {
    const shared = instruction.space === "shared";
    const lanes = lanesOf(request, instruction.bytes, objects);
    const rows = rowsOf(lanes);
    const shown = rows.slice(0, MOST_ROWS);
    const parts = [];
    for (let word = 0; word < LANES; word += shared ? 1 : SECTOR / WORD) {
        const text = shared ? String(word) : `sector ${word * WORD / SECTOR}`;
        parts.push(svg("text", {class: "quiet", x: LEFT + word * CELL + (shared ? CELL / 2 : 4), y: 15,
            "text-anchor": shared ? "middle" : "start"}, text));
    }
    parts.push(svg("text", {class: "quiet", x: 0, y: 15}, shared ? "bank" : "128-byte line"));
    shown.forEach((row, i) => parts.push(...drawRow(row, TOP + i * (CELL + 2), shared)));
    let height = TOP + shown.length * (CELL + 2);
    const banks = wordsPerBank(rows);
    const most = Math.max(...banks);
    if (shared) {
        height += CELL + 4;
        parts.push(svg("text", {class: "quiet", x: 0, y: height - 8}, "words per bank"));
        banks.forEach((count, bank) => {
            if (count > 1 && count === most) {
                parts.push(svg("rect", {class: "vain", x: LEFT + bank * CELL + .5, y: height - CELL - 1, width: CELL - 1,
                    height: CELL - 1}));
            }
            parts.push(svg("text", {x: LEFT + bank * CELL + CELL / 2, y: height - 8, "text-anchor": "middle"}, String(count)));
        });
    }
    const label = `The words that ${counted(lanes.length, "lane")} touched, in ${counted(rows.length, "row")} of ` +
        "128 bytes. The table below lists them.";
    const entries = shared
        ? [["used", "word, with its lane"], ["idle", "not touched"], ["vain", "the bank with the most words"]]
        : [["used", "word, with its lane"], ["vain", "fetched in vain: no lane of the request uses it"], ["idle", "not fetched"]];
    const result = [wide("Addresses of the lanes", drawing(LEFT + LANES * CELL + 2, height + 2, label, ...parts)), key(entries)];
    if (rows.length > shown.length) {
        const text = document.createElement("p");
        text.textContent = `Left out of the drawing: ${counted(rows.length - shown.length, "row")} of 128 bytes. The table has all lanes.`;
        result.push(text);
    }
    result.push(tableOf("The lanes as a table", ["lane", "object", "byte", shared ? "bank" : "sector of the line"],
        lanes.map(one => [one.lane, one.name, one.offset, shared
            ? Math.floor(one.address / WORD) % LANES : Math.floor(one.address / SECTOR) % (ROW / SECTOR)])));
    return result;
}
