/** What the page of a study adds to the style that all pages share. */
export const STUDY_STYLE = `
:root{--s1:#2f5bd7;--s2:#c46a00;--s3:#14804a;--s4:#b0266b;--s5:#6d5a00;--s6:#00838f;--cell-good:20,128,74;--cell-bad:198,47,59}
@media (prefers-color-scheme:dark){:root{--s1:#8aaaff;--s2:#ffb057;--s3:#58c98b;--s4:#ff8ac4;--s5:#d9c667;--s6:#4dd0e1;--cell-good:88,201,139;--cell-bad:255,122,130}}
.verdict.complete{color:var(--good);background:var(--good-bg)}
header p{margin:.3rem 0;color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.9rem;margin-top:.9rem}
.tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:.7rem 1rem}
.tile b{display:block;font-size:1.35rem;line-height:1.3;font-variant-numeric:tabular-nums}
.tile span{font-size:.83rem;color:var(--soft)}
.s1{--tint:var(--s1)}.s2{--tint:var(--s2)}.s3{--tint:var(--s3)}.s4{--tint:var(--s4)}.s5{--tint:var(--s5)}.s6{--tint:var(--s6)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.2rem .4rem .5rem;padding:0;list-style:none;font-size:.87rem}
.legend li::before{content:"";display:inline-block;width:.75rem;height:.75rem;border-radius:3px;margin-right:.4rem;background:var(--tint)}
.chart{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:.6rem;min-width:0}
.chart svg{display:block;width:100%;height:auto;max-width:52rem}
.chart .narrow{display:none}
.chart text{font:12px system-ui,sans-serif;fill:var(--soft)}
.chart text.x{text-anchor:middle}.chart text.y{text-anchor:end}
.chart text.name{fill:var(--ink);paint-order:stroke;stroke:var(--card);stroke-width:4px}
.grid{stroke:var(--line);stroke-width:1}
.series .line{fill:none;stroke:var(--tint);stroke-width:2}
.series .band{fill:var(--tint);fill-opacity:.14}
.series circle{fill:var(--tint);stroke:var(--card);stroke-width:1.5}
.box rect{fill:var(--tint);fill-opacity:.45}
.box .whisker{stroke:var(--tint);stroke-width:1.5}
.box .median{stroke:var(--ink);stroke-width:2.5}
.hint{color:var(--soft);font-size:.87rem;margin:.35rem .4rem 0}
h3{font-size:1rem;margin:1.2rem 0 .5rem}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
table.heat th,table.heat td{display:table-cell;text-align:right;padding:.35rem .6rem;white-space:nowrap;font-variant-numeric:tabular-nums}
table.heat th:first-child{text-align:left;font-weight:400;background:none}
table.heat tr{display:table-row;padding:0}
table.heat thead{display:table-header-group;position:static;clip-path:none}
table.heat tbody{display:table-row-group}
table.heat td small{display:block;color:var(--ink);font-size:.72rem}
table.heat td.none{color:var(--soft)}
.worst>summary b{flex:1;min-width:0;overflow-wrap:anywhere}
.charts{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.9rem}
.charts h3{margin-top:.4rem}
.charts .wide{display:none}.charts .narrow{display:block}
@media (max-width:60rem){.charts{display:block}.charts h3{margin-top:1.2rem}.charts .wide{display:block}.charts .narrow{display:none}}
@media (max-width:44rem){
.charts .wide{display:none}.charts .narrow{display:block}
.chart .wide{display:none}.chart .narrow{display:block}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:.6rem}
.tile b{font-size:1.1rem}
td[data-label]:not(.number)::before{content:attr(data-label) " ";color:var(--soft)}
table.figures td.number{white-space:normal;text-align:left}
}
@media print{.chart{break-inside:avoid}}
`;
