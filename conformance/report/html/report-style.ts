/** What the conformance page adds to the style that all pages share. */
export const REPORT_STYLE = `
.verdict.conforming{color:var(--good);background:var(--good-bg)}
.verdict.nonconforming{color:var(--bad);background:var(--bad-bg)}
.facts{display:flex;flex-wrap:wrap;gap:.4rem 1.75rem;margin:0 0 1rem}
.facts dt{font-size:.78rem;color:var(--soft)}
.facts dd{margin:0;font-variant-numeric:tabular-nums}
.levels{display:grid;grid-template-columns:repeat(3,1fr);gap:.9rem}
.card .name{margin:0;font-size:.95rem;font-weight:700;color:var(--ink)}
.failure.should{border-left-color:var(--warn)}.failure.waived{border-left-color:var(--line)}
blockquote{margin:.9rem 0;padding:.1rem 0 .1rem .9rem;border-left:3px solid var(--line);color:var(--soft);overflow-wrap:anywhere}
.line{display:flex;gap:.5rem;align-items:flex-start}
.json b{font-weight:400;color:var(--note)}.json i{font-style:normal;color:var(--warn)}
mark{color:var(--bad);background:var(--bad-bg);outline:1px solid var(--bad);outline-offset:1px;border-radius:2px}
.json mark b,.json mark i{color:inherit}
.more{color:var(--soft);font-size:.92em;margin:.2rem 0 .9rem}
dd pre{margin-top:.35rem}
dd summary,.amounts summary{cursor:pointer;color:var(--soft);font-size:.92em}
.cause{border-top:1px solid var(--line)}
.cause>summary{cursor:pointer;padding:.55rem 0;display:flex;flex-wrap:wrap;gap:.15rem .6rem;align-items:baseline}
.cause>summary::before,.fold>summary::before{content:"\\25b8";color:var(--soft)}
.cause[open]>summary::before,.fold[open]>summary::before{content:"\\25be"}
.cause>summary::-webkit-details-marker,.fold>summary::-webkit-details-marker{display:none}
.cause>summary>span:first-of-type{flex:1 1 14rem;min-width:0;color:var(--bad)}
.count{color:var(--soft);font-size:.87rem;white-space:nowrap}
.fold{background:var(--card);border:1px solid var(--line);border-radius:12px;margin-bottom:.5rem}
.fold>summary{cursor:pointer;padding:.6rem 1rem;display:flex;flex-wrap:wrap;gap:.2rem .6rem;align-items:baseline}
.fold>summary b{font-weight:600}
.fold>.scroll{border-width:1px 0 0;border-radius:0 0 12px 12px}
.amounts{margin-top:.4rem}
.amounts .scroll{margin-top:.4rem}
.units{display:block;white-space:nowrap}
.units small{color:var(--soft);overflow-wrap:anywhere;white-space:normal}
.timings text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink)}
.filters{margin-top:1rem;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin-bottom:.75rem}
.filters input{flex:1 1 14rem;min-width:0}
.filters output{color:var(--soft);font-size:.87rem}
td.level,.silence td:first-child{white-space:nowrap}
.timings{width:100%;max-width:30rem;height:auto;display:block}
.timings .endpoint{font-weight:700}
.timings .requests,.timings .value{fill:var(--soft);font-size:11px}
.bar.p50{fill:var(--good)}.bar.p99{fill:var(--note)}.bar.max{fill:var(--soft)}
@media (max-width:44rem){
.amounts td::before{content:attr(data-label) " ";color:var(--soft)}
.amounts .units{display:inline-block;white-space:normal}
.levels{grid-template-columns:1fr;gap:.6rem}
.line{flex-direction:column;align-items:stretch}
tr.clause{padding:0}
tr[data-rule] td:not(:first-child){display:inline-block;padding-right:0}
.filters input{flex-basis:100%}
.filters select{flex:1 1 8rem;min-width:0}
}
@media print{.filters{display:none!important}}
`;
