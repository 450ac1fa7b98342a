// SPDX-License-Identifier: MIT
// Occupancy against block size, coloured by the resource that runs out first.
import {choice, drawing, html, key, number, svg, tableOf, wide} from "view/dom";

const LIMITS = ["threads", "blocks", "registers", "shared memory"];
const LEFT = 44;
const BAR = 18;
const HEIGHT = 150;
const TOP = 14;

function draw(one, points) {
    const parts = [];
    for (const share of [0, 50, 100]) {
        const y = TOP + HEIGHT * (1 - share / 100);
        parts.push(svg("path", {class: "axis", d: `M${LEFT} ${y}H${LEFT + points.length * BAR}`}),
            svg("text", {class: "quiet", x: LEFT - 4, y: y + 4, "text-anchor": "end"}, `${share} %`));
    }
    points.forEach(([threads, , limit, share], i) => {
        const x = LEFT + i * BAR;
        const height = HEIGHT * share / 100;
        parts.push(svg("rect", {class: `r${LIMITS.indexOf(limit)}`, x: x + 2, y: TOP + HEIGHT - height, width: BAR - 4, height}));
        if (threads === Math.ceil(one.launched / 32) * 32) {
            parts.push(svg("rect", {class: "launched", x: x + 1, y: TOP, width: BAR - 2, height: HEIGHT}));
        }
        if (threads % 128 === 0) {
            parts.push(svg("text", {class: "quiet", x: x + BAR / 2, y: TOP + HEIGHT + 14, "text-anchor": "middle"}, String(threads)));
        }
    });
    return drawing(LEFT + points.length * BAR + 14, TOP + HEIGHT + 20,
        "Occupancy in percent against the threads of a block. The table below has the numbers.", ...parts);
}

function show(box, one, curve) {
    const own = curve.points.find(([threads]) => threads === Math.ceil(one.launched / 32) * 32);
    const size = `${one.block.join(" × ")} threads`;
    const shared = one.static_shared + one.dynamic_shared;
    const texts = [`Launched with blocks of ${size} (framed)${one.other_launches ? "; launches of other shapes are left out" : ""}.`];
    if (own) texts.push(own[1] ? `A multiprocessor holds ${own[1]} of them, ${number(own[3])} % of its threads; the limit is ${own[2]}.`
        : `No such block fits on a multiprocessor: the limit is ${own[2]}.`);
    texts.push(`Shared memory of a block: ${number(shared)} bytes, at every block size.`);
    const open = box.querySelector("details")?.open;
    box.replaceChildren(html("p", {}, texts.join(" ")), wide("Occupancy", draw(one, curve.points)),
        key([["r0", "limit: threads"], ["r1", "limit: blocks"], ["r2", "limit: registers"], ["r3", "limit: shared memory"]]),
        tableOf("Occupancy as a table", ["threads of a block", "blocks on a multiprocessor", "occupancy", "limit"],
            curve.points.map(([threads, blocks, limit, share]) => [threads, blocks, `${number(share)} %`, limit])));
    if (open) box.querySelector("details").open = true;
}

export function attachOccupancy(article, program) {
    const section = article.querySelector(".occupancy");
    if (!program.occupancy.length) {
        section.remove();
        return;
    }
    const registers = html("div");
    const box = html("div");
    const chooseKernel = i => {
        const one = program.occupancy[i];
        registers.replaceChildren();
        const usual = Math.max(one.curves.findIndex(curve => curve.registers === 32), 0);
        if (one.registers_known) {
            registers.append(html("p", {class: "quiet"}, `nvcc gives each thread ${one.curves[0].registers} registers.`));
        } else {
            const select = choice("Registers of a thread", one.curves.map(curve => String(curve.registers)),
                index => show(box, one, one.curves[index]));
            select.querySelector("select").value = usual;
            registers.append(select, html("p", {class: "quiet"}, "g++ does not know how many registers nvcc would use: choose a number, " +
                "or hand over nvcc's report with EMULATOR_REGISTERS."));
        }
        show(box, one, one.curves[usual]);
    };
    section.append(html("p", {class: "quiet"}, program.device.name),
        choice("Kernel", program.occupancy.map(one => one.kernel), chooseKernel), registers, box);
    chooseKernel(0);
}
