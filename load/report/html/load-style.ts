/** What the load page adds to the style of the conformance page. */
export const LOAD_STYLE = `
:root{--c1:#2f5bd7;--c2:#14804a;--c3:#c46a00;--c4:#c62f3b;--c5:#7b8595;--c6:#8a3ffc;--c7:#00838f;--c8:#b0266b;--c9:#6d5a00;--c10:#455a64;--c11:#5d4037}
@media (prefers-color-scheme:dark){:root{--c1:#8aaaff;--c2:#58c98b;--c3:#ffb057;--c4:#ff7a82;--c5:#8b97a8;--c6:#c4a1ff;--c7:#4dd0e1;--c8:#ff8ac4;--c9:#d9c667;--c10:#a7bcc6;--c11:#c8a597}}
.verdict.passed{color:var(--good);background:var(--good-bg)}
.verdict.failed{color:var(--bad);background:var(--bad-bg)}
.verdict.invalid{color:var(--warn);background:var(--warn-bg)}
.played{color:var(--soft);margin:.2rem 0 1rem}
header p{margin:.3rem 0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.9rem}
.tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:.7rem 1rem}
.tile b{display:block;font-size:1.45rem;line-height:1.3;font-variant-numeric:tabular-nums;white-space:nowrap}
.tile b small{font-size:.85rem;font-weight:400;color:var(--soft)}
.tile span{font-size:.83rem;color:var(--soft)}
.tile.bad b{color:var(--bad)}
.chart{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:.8rem .6rem .5rem;min-width:0}
.chart .plot{min-height:17rem}
.chart .plot.low{min-height:11rem}
.pair{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.9rem}
.titled{display:flex;flex-wrap:wrap;align-items:flex-end;justify-content:space-between;gap:0 1rem}
.choice{color:var(--soft);font-size:.9rem;margin-bottom:.6rem}
.chart.none{display:flex;align-items:center;justify-content:center;min-height:13.9rem;padding:1rem;color:var(--soft);text-align:center}
.steps{margin-top:.9rem}
.steps summary{cursor:pointer;margin:0 .4rem .6rem}
td .meter{width:7rem;height:5px;margin:.3rem 0 .1rem}
.kinds{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.1rem .8rem;margin:.6rem .4rem 0;font-size:.85rem;color:var(--soft)}
.kinds dt{color:var(--ink)}
.kinds dd{margin:0}
.profile{margin-top:1rem}
.profile summary{cursor:pointer}
.profile pre{margin-top:.5rem}
pre.whole{max-height:none}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.bad{color:var(--bad);font-weight:600}
tr.all td,tr.all th{font-weight:600}
tbody th{background:none}
.u-legend{font-size:.82rem;text-align:left!important;padding:.2rem .4rem 0}
.u-legend tbody th{font-weight:400;color:var(--ink)}
.u-legend td,.u-legend th{border:0;padding:.05rem .2rem}
.u-legend .u-series td,.u-legend .u-series th{display:inline-block}
.u-legend tr{border:0;padding:0}
.u-legend .u-value{font-variant-numeric:tabular-nums;display:inline-block;min-width:3.2em}
.u-legend .u-marker{border-radius:3px}
.u-select{background:var(--accent);opacity:.15}
.conditions{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.9rem}
.hint{color:var(--soft);font-size:.85rem;margin:.3rem .4rem 0}
@media (max-width:44rem){
.pair,.conditions{grid-template-columns:minmax(0,1fr);gap:0}
.conditions{gap:.6rem}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:.6rem}
.tile b{font-size:1.2rem}
table.u-legend{display:table}
.u-legend tbody{display:block}
.u-legend tr.u-series{display:inline-block}
td[data-label]:not(.number)::before{content:attr(data-label) " ";color:var(--soft)}
.figures td.number{display:inline-block;padding:.05rem .5rem .05rem .8rem;min-width:7rem}
.figures tbody th{padding-bottom:.1rem}
}
@media print{.chart{break-inside:avoid}}
`;
