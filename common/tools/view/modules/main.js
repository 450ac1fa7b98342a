// SPDX-License-Identifier: MIT
// The page's entry: gives each program's part of the page its drawings.
import {attachOccupancy} from "view/occupancy";
import {attachSource} from "view/source";
import {attachThreads} from "view/threads";

const programs = JSON.parse(document.getElementById("data").textContent);
for (const article of document.querySelectorAll("article[data-program]")) {
    const program = programs[Number(article.dataset.program)];
    attachSource(article, program);
    attachThreads(article, program);
    attachOccupancy(article, program);
}
document.documentElement.dataset.ready = "yes";
