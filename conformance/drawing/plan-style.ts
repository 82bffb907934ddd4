/** How a drawn plan looks. */
export const DRAWING_STYLE = `
.plan text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink)}
.plan text{font-size:11.5px;text-anchor:middle;dominant-baseline:central}
.node rect{fill:var(--card);stroke:var(--soft);stroke-width:1.25}
.node text:first-of-type{font-weight:700;font-size:13px}
.plan-lr .node text:last-of-type:not(:first-of-type),.node.missing text:last-of-type:not(:first-of-type){fill:var(--soft);font-size:10.5px}
.node.sell rect{fill:var(--note-bg);stroke:var(--note)}
.node.buy rect{fill:var(--good-bg);stroke:var(--good)}
.node.missing rect{stroke-dasharray:4 3;stroke:var(--warn)}
.edge{fill:none;stroke:var(--soft);stroke-width:1.5}
.edge.circular{stroke:var(--bad);stroke-dasharray:6 4}
.label rect{fill:var(--bg);fill-opacity:.92}
.label text:not(:first-of-type){fill:var(--soft)}
.node.marked rect{fill:var(--bad-bg);stroke:var(--bad);stroke-width:3}
.edge.marked{stroke:var(--bad);stroke-width:3}
.label.marked rect{fill:var(--bad-bg);fill-opacity:1;stroke:var(--bad)}
.label.marked text,.node.marked text:first-of-type{fill:var(--bad);font-weight:700}
.arrow{fill:var(--soft)}.arrow-marked{fill:var(--bad)}
`;

/** What a page that draws plans adds to the style that all pages share. */
export const PLAN_STYLE = `
:root{--shade:#1b233059}
@media (prefers-color-scheme:dark){:root{--shade:#9aa6b68c}}
figure{margin:1rem 0 0}
figcaption{color:var(--soft);font-size:.87rem;margin-top:.4rem}
.drawing{overflow:auto;max-height:38rem;border:1px solid var(--line);border-radius:8px;padding:.5rem;text-align:center;scrollbar-width:thin;scrollbar-color:var(--soft) var(--line);background:linear-gradient(90deg,var(--bg) 40%,transparent) 0/3rem 100%,linear-gradient(270deg,var(--bg) 40%,transparent) 100%/3rem 100%,radial-gradient(farthest-side at 0,var(--shade),transparent) 0/.9rem 100%,radial-gradient(farthest-side at 100%,var(--shade),transparent) 100%/.9rem 100%,var(--bg);background-repeat:no-repeat;background-attachment:local,local,scroll,scroll,scroll}
.plan{display:inline-block;vertical-align:top}
.plan-tb{display:none}${DRAWING_STYLE}.defs{position:absolute}
@media (max-width:44rem){.plan-lr{display:none}.plan-tb{display:inline-block}}
@media print{.drawing{overflow:visible;max-height:none}.plan{max-width:100%;height:auto}}
`;
