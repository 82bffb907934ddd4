/** The colours that all pages and drawings share: light and dark by the reader's preference. */
export const PALETTE = `
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--ink:#1b2330;--soft:#5b6675;--line:#dde2e9;--code:#f0f2f6;--accent:#2f5bd7;--good:#0f7040;--bad:#c62f3b;--warn:#9a6200;--note:#3566a8;--good-bg:#e3f4ea;--bad-bg:#fdebec;--warn-bg:#fdf3dc;--note-bg:#e8f0fb}
@media (prefers-color-scheme:dark){:root{--bg:#12161d;--card:#1a202a;--ink:#e4e9f0;--soft:#9aa6b6;--line:#2e3744;--code:#10141a;--accent:#8aaaff;--good:#58c98b;--bad:#ff7a82;--warn:#e5b04d;--note:#85b3f2;--good-bg:#163325;--bad-bg:#3d1d22;--warn-bg:#3a2e12;--note-bg:#1a2c45}}
`;

/** The style that all pages share: light and dark by the reader's preference, one column on a phone. */
export const PAGE_STYLE = `${PALETTE}*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;-webkit-text-size-adjust:100%}
main,header,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.75rem}
h1{font-size:1rem;font-weight:600;margin:0;color:var(--soft);letter-spacing:.01em}
h2{font-size:1.2rem;margin:2.25rem 0 .75rem;line-height:1.25}
h2 small{font-weight:400;color:var(--soft);font-size:.9rem;margin-left:.4rem}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
.mono,td,dd,p,summary{overflow-wrap:anywhere}
a{color:var(--accent)}
.verdict{display:flex;flex-wrap:wrap;align-items:baseline;gap:.3rem .9rem;margin:.5rem 0 1rem;padding:1rem 1.2rem;border-radius:12px;border:1px solid currentColor}
.verdict strong{font-size:1.6rem;line-height:1.2;text-transform:capitalize}
.verdict span{color:var(--ink)}
.verdict.incomplete{color:var(--warn);background:var(--warn-bg)}
.card,.failure,.notes{background:var(--card);border:1px solid var(--line);border-radius:12px}
.card{padding:.8rem 1rem}
.card h3{margin:0;font-size:.95rem}
.card p{margin:.15rem 0 0;font-size:.87rem;color:var(--soft)}
.card b{color:var(--ink);font-variant-numeric:tabular-nums}
.card .bad b{color:var(--bad)}.card .warn b{color:var(--warn)}
.meter{display:block;width:100%;height:8px;margin:.55rem 0 .5rem;border-radius:4px}
.meter .pass{fill:var(--good)}.meter .fail{fill:var(--bad)}.meter .waived,.meter .could-not-run{fill:var(--warn)}.meter .not-applicable{fill:var(--line)}.meter .observed{fill:var(--note)}
.notes{margin:1rem 0 0;padding:.7rem 1rem .7rem 2rem;font-size:.92rem}
.chip{display:inline-block;padding:.05rem .5rem;border-radius:999px;font-size:.78rem;line-height:1.5;white-space:nowrap;color:var(--soft);background:var(--code)}
.chip.pass{color:var(--good);background:var(--good-bg)}
.chip.fail{color:var(--bad);background:var(--bad-bg)}
.chip.waived,.chip.could-not-run,.chip.should{color:var(--warn);background:var(--warn-bg)}
.chip.observed{color:var(--note);background:var(--note-bg)}
.failure{margin:0 0 .7rem;border-left:4px solid var(--bad)}
.failure>summary{cursor:pointer;padding:.7rem 1rem;list-style-position:outside;display:flex;flex-wrap:wrap;gap:.15rem .6rem;align-items:baseline}
.failure>summary::before{content:"\\25b8";color:var(--soft)}
.failure[open]>summary::before{content:"\\25be"}
.failure>summary::-webkit-details-marker{display:none}
.failure>summary b{font-weight:600}
.failure>summary .mono{color:var(--soft)}
.failure>summary .count{margin-left:auto;color:var(--soft);font-size:.87rem;white-space:nowrap}
.parts{padding:0 1rem 1rem;border-top:1px solid var(--line)}
.parts dl{display:grid;grid-template-columns:6rem minmax(0,1fr);gap:.4rem .9rem;margin:.8rem 0}
.parts dt{color:var(--soft);font-size:.87rem;padding-top:.1rem}
.parts dd{margin:0;min-width:0}
.parts dd.expected{color:var(--good)}.parts dd.actual{color:var(--bad)}
pre{margin:0;padding:.6rem .75rem;background:var(--code);border:1px solid var(--line);border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere;max-height:15rem;overflow:auto;flex:1;min-width:0}
button,select,input{font:inherit;font-size:.9rem;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.35rem .65rem;min-height:2.25rem}
button{cursor:pointer;white-space:nowrap}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:12px}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .8rem;border-top:1px solid var(--line)}
thead th{border-top:0;font-size:.8rem;color:var(--soft);font-weight:600}
tbody th{background:var(--bg);font-weight:600}
tbody th small{font-weight:400;color:var(--soft);display:block}
td.number{text-align:right;font-variant-numeric:tabular-nums}
td .why{display:block;color:var(--soft);font-size:.87rem}
[hidden]{display:none!important}
footer{color:var(--soft);font-size:.85rem;padding-top:2rem;padding-bottom:2.5rem}
@media (max-width:44rem){
main,header,footer{padding-left:.9rem;padding-right:.9rem}
.parts dl{grid-template-columns:minmax(0,1fr);gap:.1rem}
.parts dd{margin-bottom:.55rem}
.failure>summary .count{margin-left:0}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr,td,tbody th{display:block}
td{border-top:0;padding:.1rem .8rem}
td.number{text-align:left}
td.number::before{content:attr(data-label) " ";color:var(--soft)}
tr{border-top:1px solid var(--line);padding:.45rem 0}
tbody th{border-top:0}
}
@media print{button,.wide-hint{display:none}pre{max-height:none}.failure>summary,figure,tr{break-inside:avoid}.failure::details-content,.cause::details-content{content-visibility:visible;block-size:auto}}
`;
