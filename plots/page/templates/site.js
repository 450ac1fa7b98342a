// SPDX-License-Identifier: MIT
// A link may lead into a fold: the folds around what it names are opened, and that is scrolled to.
function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let one = target; one; one = one.parentElement) {
        if (one instanceof HTMLDetailsElement) one.open = true;
    }
    target.scrollIntoView();
}
// Above the text, the list of what a page has would fill a telephone's screen.
function foldContents() {
    const contents = document.querySelector('.contents');
    if (contents && innerWidth < 1200) contents.open = false;
}
addEventListener('hashchange', openTarget);
addEventListener('DOMContentLoaded', () => { foldContents(); openTarget(); });
