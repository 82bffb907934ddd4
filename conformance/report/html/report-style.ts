/** What the conformance page adds to the style that all pages share. */
export const REPORT_STYLE = `
.verdict.conforming{color:var(--good);background:var(--good-bg)}
.verdict.nonconforming{color:var(--bad);background:var(--bad-bg)}
.facts{display:flex;flex-wrap:wrap;gap:.4rem 1.75rem;margin:0 0 1rem}
.facts dt{font-size:.78rem;color:var(--soft)}
.facts dd{margin:0;font-variant-numeric:tabular-nums}
.levels{display:grid;grid-template-columns:repeat(3,1fr);gap:.9rem}
.failure.should{border-left-color:var(--warn)}.failure.waived{border-left-color:var(--line)}
blockquote{margin:.9rem 0;padding:.1rem 0 .1rem .9rem;border-left:3px solid var(--line);color:var(--soft);overflow-wrap:anywhere}
.line{display:flex;gap:.5rem;align-items:flex-start}
figure{margin:1rem 0 0}
figcaption{color:var(--soft);font-size:.87rem;margin-top:.4rem}
.drawing{overflow-x:auto;border:1px solid var(--line);border-radius:8px;background:var(--bg);padding:.5rem;text-align:center}
.plan{display:inline-block;vertical-align:top}
.plan-tb{display:none}
.plan text,.timings text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink)}
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
.label text:last-of-type{fill:var(--soft)}
.node.marked rect{fill:var(--bad-bg);stroke:var(--bad);stroke-width:3}
.edge.marked{stroke:var(--bad);stroke-width:3}
.label.marked rect{fill:var(--bad-bg);fill-opacity:1;stroke:var(--bad)}
.label.marked text,.node.marked text:first-of-type{fill:var(--bad);font-weight:700}
.arrow{fill:var(--soft)}.arrow-marked{fill:var(--bad)}
.defs{position:absolute}
.filters{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin-bottom:.75rem}
.filters input{flex:1 1 14rem;min-width:0}
.filters output{color:var(--soft);font-size:.87rem}
td.level{white-space:nowrap}
.timings{width:100%;max-width:30rem;height:auto;display:block}
.timings .endpoint{font-weight:700}
.timings .requests,.timings .value{fill:var(--soft);font-size:11px}
.bar.p50{fill:var(--good)}.bar.p99{fill:var(--note)}.bar.max{fill:var(--soft)}
@media (max-width:44rem){
.levels{grid-template-columns:1fr;gap:.6rem}
.line{flex-direction:column;align-items:stretch}
.plan-lr{display:none}.plan-tb{display:inline-block}
tr.clause{padding:0}
tr[data-rule] td:not(:first-child){display:inline-block;padding-right:0}
.filters input{flex-basis:100%}
.filters select{flex:1 1 8rem;min-width:0}
}
@media print{.filters{display:none}}
`;
