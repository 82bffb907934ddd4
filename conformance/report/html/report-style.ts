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
.timings text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink)}
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
tr.clause{padding:0}
tr[data-rule] td:not(:first-child){display:inline-block;padding-right:0}
.filters input{flex-basis:100%}
.filters select{flex:1 1 8rem;min-width:0}
}
@media print{.filters{display:none}}
`;
