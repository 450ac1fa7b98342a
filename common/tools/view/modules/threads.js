// SPDX-License-Identifier: MIT
// The steps of one block's warps on an axis, with barriers as lines: first all warps, then the 32
// lanes of one warp. A step is an instruction that is counted, or a basic block.
import {choice, counted, drawing, html, key, number, player, svg, tableOf, wide} from "view/dom";

const LEFT = 66;
const WIDTH = 760;
const TOP = 20;
const PIXEL = 2;
const PICTURES = 60;  // of a whole block, where it has more steps

function bits(mask) {
    let count = 0;
    for (let lane = 0; lane < 32; ++lane) count += mask >>> lane & 1;
    return count;
}

// Of each interval between barriers: where it begins, how long its longest warp is, and the barrier
// that ends it.
export function intervalsOf(kernel) {
    const intervals = [];
    for (const warp of kernel.warps) {
        for (const [interval, place, , , count] of warp.steps) {
            while (intervals.length <= interval) {
                intervals.push({begin: 0, length: 0, barrier: null, warps: kernel.warps.map(() => 0)});
            }
            const own = intervals[interval];
            own.warps[kernel.warps.indexOf(warp)] += count;
            if (kernel.places[place].operation === "barrier") own.barrier = kernel.places[place];
        }
    }
    let begin = 0;
    for (const one of intervals) {
        one.begin = begin;
        one.length = Math.max(...one.warps);
        begin += one.length;
    }
    return intervals;
}

// Bars of equal state. `stateOf(lanes, running)`: a class, or null. At most one bar for each pixel.
function bars(warp, intervals, scale, y, height, stateOf) {
    const parts = [];
    let open = null;
    const close = () => {
        if (open && open.state) {
            parts.push(svg("rect", {class: open.state, x: LEFT + open.from * scale, y, height,
                width: Math.max((open.to - open.from) * scale, .5), opacity: open.opacity}));
        }
        open = null;
    };
    const at = intervals.map(one => one.begin);
    for (const [interval, , lanes, running, count] of warp.steps) {
        const from = at[interval];
        at[interval] += count;
        const [state, opacity] = stateOf(lanes, running);
        const tiny = open && (from + count - open.from) * scale < PIXEL;
        if (open && from === open.to && (tiny || (open.state === state && open.opacity === opacity))) {
            open.to = from + count;
        } else {
            close();
            open = {state, opacity, from, to: from + count};
        }
    }
    close();
    return parts;
}

function frame(intervals, scale, height) {
    const parts = [];
    intervals.forEach((one, i) => {
        if (!one.barrier) return;
        const x = LEFT + (one.begin + one.length) * scale;
        parts.push(svg("path", {class: "barrier", d: `M${x} ${TOP - 4}V${height}`}));
        if (one.length * scale > 54) {
            parts.push(svg("text", {class: "quiet", x: x - 2, y: 12, "text-anchor": "end"}, `line ${one.barrier.line}`));
        }
    });
    return parts;
}

function drawWarps(kernel, intervals, scale, total) {
    const row = kernel.warps.length > 16 ? 9 : 14;
    const height = TOP + kernel.warps.length * row + 4;
    const parts = kernel.warps.flatMap((warp, i) => {
        const y = TOP + i * row;
        const waits = intervals.filter(one => one.barrier && one.warps[i] < one.length).map(one =>
            svg("rect", {class: "idle", x: LEFT + (one.begin + one.warps[i]) * scale, y,
                width: (one.length - one.warps[i]) * scale, height: row - 2}));
        const active = bars(warp, intervals, scale, y, row - 2, lanes => ["used", .25 + .75 * bits(lanes) / 32]);
        const name = i % (kernel.warps.length > 16 ? 4 : 1) === 0 ? [svg("text", {x: 0, y: y + row - 4}, `warp ${i}`)] : [];
        return [...name, ...waits, ...active];
    });
    return drawing(LEFT + total * scale + 4, height, `Steps of ${counted(kernel.warps.length, "warp")} of block ${kernel.block}. ` +
        "The table below has the numbers.", ...parts, ...frame(intervals, scale, height));
}

function drawLanes(kernel, index, intervals, scale, total) {
    const row = 9;
    const height = TOP + 32 * row + 4;
    const warp = kernel.warps[index];
    const parts = [];
    for (let lane = 0; lane < 32; ++lane) {
        const y = TOP + lane * row;
        if (lane % 4 === 0) parts.push(svg("text", {x: 0, y: y + 8}, `lane ${lane}`));
        parts.push(...bars(warp, intervals, scale, y, row - 1, (lanes, running) =>
            lanes >>> lane & 1 ? ["used", 1] : running >>> lane & 1 ? ["vain", 1] : [null, 1]));
    }
    return drawing(LEFT + total * scale + 4, height, `Steps of the 32 lanes of warp ${index}. The table below has the numbers.`,
        ...parts, ...frame(intervals, scale, height));
}

function tableRows(kernel, intervals) {
    return intervals.flatMap((one, interval) => kernel.warps.map((warp, i) => {
        const steps = warp.steps.filter(step => step[0] === interval);
        const total = steps.reduce((sum, step) => sum + step[4], 0);
        const lanes = steps.reduce((sum, step) => sum + bits(step[2]) * step[4], 0);
        return [interval, one.barrier ? `${one.barrier.file}:${one.barrier.line}` : "none", i, total,
            total ? number(lanes / total) : "none", one.barrier ? one.length - total : 0];
    }));
}

function show(box, kernel, warp, zoom) {
    const intervals = intervalsOf(kernel);
    const total = intervals.reduce((sum, one) => sum + one.length, 0);
    const scale = Math.min(WIDTH * zoom / total, 40);
    const leftOut = kernel.warps.reduce((sum, one) => sum + one.left_out, 0);
    const open = box.querySelector("details")?.open;
    box.replaceChildren(
        html("p", {class: "quiet"}, `Block ${kernel.block} of launch ${kernel.grid}, the first one that was counted. ` +
            `The axis counts steps of a warp: instructions and basic blocks. It is no time of a GPU.`),
        ...(leftOut ? [html("p", {class: "left-out"}, html("strong", {}, "Left out. "),
            `Of each warp the first steps are drawn; ${counted(leftOut, "further step")} of this block are not.`)] : []),
        html("h4", {}, "All warps"), wide("Steps of all warps", drawWarps(kernel, intervals, scale, total)),
        key([["used", "runs, paler with fewer lanes"], ["idle", "waits for the other warps"], ["bad", "barrier, with its line"]]),
        html("h4", {}, `The lanes of warp ${warp}`), wide("Steps of the lanes", drawLanes(kernel, warp, intervals, scale, total)),
        key([["used", "runs"], ["vain", "waits while other lanes of its warp run"], ["bad", "barrier, with its line"]]),
        tableOf("The steps as a table", ["barriers passed", "ends at barrier", "warp", "steps", "lanes on average", "steps that others take longer"],
            tableRows(kernel, intervals)));
    if (open) box.querySelector("details").open = true;
    return {total, scale};
}

// A line through both drawings at one step, and what the warps do there.
function mark(box, kernel, step, {total, scale}) {
    const at = Math.min(step, total);
    for (const drawn of box.querySelectorAll("svg[role=img]")) {
        drawn.querySelector(".now")?.remove();
        const x = LEFT + at * scale;
        drawn.append(svg("path", {class: "now", d: `M${x} ${TOP - 4}V${drawn.getAttribute("height")}`}));
    }
    const passed = intervalsOf(kernel).filter(one => one.barrier && one.begin + one.length <= at).length;
    return `Step ${number(at)} of ${number(total)}, after ${counted(passed, "barrier")}.`;
}

export function attachThreads(article, program) {
    const section = article.querySelector(".threads");
    const kernels = program.kernels.filter(one => one.warps.some(warp => warp.steps.length));
    if (!kernels.length) {
        section.append(html("p", {class: "quiet"}, "No block has ended a step that was counted."));
        return;
    }
    const box = html("div");
    const warps = html("div");
    const state = {kernel: 0, warp: 0, zoom: 1};
    const time = html("input", {type: "range", min: 0, value: 0, step: 1});
    const said = html("p", {"aria-live": "polite"});
    let axis = null;
    const move = () => {
        said.textContent = mark(box, kernels[state.kernel], Number(time.value), axis);
        time.setAttribute("aria-valuetext", said.textContent);
    };
    const draw = () => {
        axis = show(box, kernels[state.kernel], state.warp, state.zoom);
        time.step = Math.max(1, Math.ceil(axis.total / PICTURES));
        time.max = Math.ceil(axis.total / time.step) * time.step;
        move();
    };
    time.addEventListener("input", move);
    const chooseKernel = i => {
        state.kernel = i;
        state.warp = 0;
        time.value = 0;
        warps.replaceChildren(choice("Lanes of", kernels[i].warps.map((_, warp) => `warp ${warp}`), warp => {
            state.warp = warp;
            draw();
        }));
        draw();
    };
    const zoom = html("input", {type: "range", min: 1, max: 20, value: 1, step: 1});
    zoom.addEventListener("input", () => {
        state.zoom = Number(zoom.value);
        zoom.setAttribute("aria-valuetext", `${zoom.value} times`);
        draw();
    });
    section.append(choice("Kernel", kernels.map(one => one.name), chooseKernel), warps, html("label", {}, "Stretch the axis ", zoom),
        html("label", {}, "Step ", time), player("steps", time), said, box);
    chooseKernel(0);
}
