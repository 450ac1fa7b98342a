// SPDX-License-Identifier: MIT
// Shows one slide at a time, as large as the window permits: arrows, page keys, blank, Home, End.
"use strict";
const slides = [...document.querySelectorAll("section")];
const LARGEST = 26, SMALLEST = 13;

// A slide that has more than fits gets smaller letters.
function fit(slide) {
  const parts = slide.querySelector(".parts");
  for (let size = LARGEST; size >= SMALLEST; --size) {
    parts.style.fontSize = `${size}px`;
    if (parts.scrollHeight <= parts.clientHeight && parts.scrollWidth <= parts.clientWidth) break;
  }
}

function now() {
  const found = slides.findIndex(one => `#${one.id}` === decodeURIComponent(location.hash));
  return Math.max(0, found);
}

function show() {
  const at = now();
  slides.forEach((one, i) => one.classList.toggle("now", i === at));
  const scale = Math.min(innerWidth / 1280, innerHeight / 720);
  const main = document.querySelector("main");
  main.style.transform = `scale(${scale})`;
  main.style.left = `${(innerWidth - 1280 * scale) / 2}px`;
  main.style.top = `${(innerHeight - 720 * scale) / 2}px`;
}

function go(to) {
  const at = Math.min(slides.length - 1, Math.max(0, to));
  location.replace(`#${slides[at].id}`);
}

const KEYS = {
  ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1,
};
addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("button") && event.key === " ") return;
  if (event.key in KEYS) go(now() + KEYS[event.key]);
  else if (event.key === "Home") go(0);
  else if (event.key === "End") go(slides.length - 1);
  else return;
  event.preventDefault();
});
for (const button of document.querySelectorAll("button")) {
  button.addEventListener("click", () => go(now() + Number(button.dataset.step)));
}
addEventListener("hashchange", show);
addEventListener("resize", show);
Promise.all([...document.images].map(one => one.decode().catch(() => 0))).then(() => {
  slides.forEach(fit);
  document.body.classList.add("shown");
  show();
  document.body.dataset.ready = "yes";
});
