// SPDX-License-Identifier: MIT
// Elements of HTML and SVG.

const SVG = "http://www.w3.org/2000/svg";
const TICK = 500;  // milliseconds from one picture to the next

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter(child => child !== null));
    return element;
}

export function html(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

// A drawing that screen readers know by its label; a table says the same in words.
export function drawing(width, height, label, ...children) {
    return svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label},
        ...children);
}

// A box that scrolls if its content is wider than the page.
export function wide(label, ...children) {
    return html("div", {class: "wide", tabindex: 0, role: "region", "aria-label": label}, ...children);
}

// The table behind a drawing, folded.
export function tableOf(title, header, rows) {
    const head = html("tr", {}, ...header.map(text => html("th", {scope: "col"}, text)));
    const body = rows.map(row => html("tr", {}, ...row.map((cell, i) =>
        html(i === 0 ? "th" : "td", i === 0 ? {scope: "row"} : {}, String(cell)))));
    return html("details", {class: "table"}, html("summary", {}, title),
        wide(title, html("table", {}, html("thead", {}, head), html("tbody", {}, ...body))));
}

// A labelled choice; `change` gets the index.
export function choice(label, options, change) {
    const select = html("select", {}, ...options.map((text, i) => html("option", {value: i}, text)));
    select.addEventListener("change", () => change(Number(select.value)));
    return html("label", {}, `${label} `, select);
}

// A button that moves a slider to its end, and begins again there. `what`: what passes, "requests".
export function player(what, slider) {
    const button = html("button", {type: "button", class: "play"});
    let timer = 0;
    const say = () => { button.textContent = `${timer ? "❚❚ pause" : "▶ play"} the ${what}`; };
    const stop = () => {
        clearInterval(timer);
        timer = 0;
        say();
    };
    const moved = value => {
        slider.value = value;
        slider.dispatchEvent(new Event("input"));
    };
    button.addEventListener("click", () => {
        if (timer) return stop();
        if (Number(slider.value) >= Number(slider.max)) moved(slider.min);
        timer = setInterval(() => {
            // Another line may have been chosen: then nobody sees this slider any more.
            if (!button.isConnected || Number(slider.value) >= Number(slider.max)) return stop();
            moved(Number(slider.value) + Number(slider.step));
        }, TICK);
        say();
    });
    say();
    return button;
}

export function key(entries) {
    return html("ul", {class: "key"}, ...entries.map(([kind, text]) => html("li", {},
        svg("svg", {width: 14, height: 14, "aria-hidden": "true"}, svg("rect", {class: kind, width: 14, height: 14})),
        text)));
}

export function number(value) {
    if (!Number.isInteger(value)) return value.toPrecision(3).replace(/\.?0+$/, "");
    return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
}

export function counted(count, word) {
    return `${number(count)} ${word}${count === 1 ? "" : "s"}`;
}
