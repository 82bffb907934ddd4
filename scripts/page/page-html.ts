import { markup } from '../../conformance/output/markup.ts';

/** What the page at `/` adds to the style that pages and drawings share. */
export const OWN_STYLE = `
header p{margin:.3rem 0 0;font-size:1.05rem}
main{display:grid;grid-template-columns:19rem minmax(0,1fr);gap:1.5rem;align-items:start;padding-top:1.25rem;padding-bottom:3rem}
form{display:grid;gap:1rem;position:sticky;top:1rem}
fieldset{display:grid;gap:.3rem;min-width:0;margin:0;padding:.6rem 1rem 1rem;border:1px solid var(--line);border-radius:12px;background:var(--card)}
fieldset p{margin:0;font-size:.87rem;color:var(--soft)}
legend{font-weight:600;padding:0 .3rem}
label{font-size:.87rem;color:var(--soft);margin-top:.35rem}
label.check{display:flex;gap:.5rem;align-items:center;color:var(--ink);font-size:.92rem}
label.check input{min-height:auto;width:1.1rem;height:1.1rem}
form input,form select{width:100%}
form details{margin-top:.5rem}
form details[open]{display:grid;gap:.3rem}
form summary{cursor:pointer;padding:.3rem 0}
[aria-invalid=true]{border-color:var(--bad);border-width:2px}
button.main{margin-top:.8rem;background:var(--accent);border-color:var(--accent);color:var(--bg);font-weight:600}
button:disabled{opacity:.6;cursor:default}
/* No password: a browser is not to keep it. */
.secret{-webkit-text-security:disc}
#news:empty{display:none}
.told{margin:0 0 1rem;padding:.8rem 1rem;border-radius:12px;border:1px solid currentColor;overflow-wrap:anywhere}
.told.bad{color:var(--bad);background:var(--bad-bg)}.told.good{color:var(--good);background:var(--good-bg)}.told.warn{color:var(--warn);background:var(--warn-bg)}
.told strong,.told span{color:var(--ink)}
#result h2:first-child{margin-top:0;font-size:1.45rem}
#result[aria-busy=true]{opacity:.55}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(11rem,42vw),1fr));gap:.6rem;margin:0}
.figures div{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.5rem .8rem;min-width:0}
.figures dt{font-size:.82rem;color:var(--soft)}
.figures dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
.figures dd small{display:block;font-weight:400;color:var(--soft)}
.row{display:flex;gap:.6rem;align-items:flex-start}
ol.steps{margin:.6rem 0 0;padding-left:1.6rem;font-size:.92rem;overflow-wrap:anywhere}
.call{display:grid;grid-template-columns:minmax(6rem,auto) minmax(0,1fr);gap:.2rem .9rem;margin:.6rem 0 0;font-size:.92rem}
.call dt{color:var(--soft)}.call dd{margin:0}
#result details summary{cursor:pointer;padding:.35rem 0;color:var(--accent)}
pre.long{max-height:26rem}
@media (max-width:44rem){main{grid-template-columns:minmax(0,1fr)}form{position:static}.row{flex-wrap:wrap}.row pre{flex-basis:100%}}
`;

/** The page before its script fills it. */
export const PAGE_HTML = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page/page.css">
<script type="module" src="page/page.js"></script>
<title>Try the reference service · swapcheck</title></head>
<body>
<header><h1>swapcheck · reference service</h1>
<p>Choose a trade and see its plan: every figure comes from this service, through the interface that clients use.</p></header>
<main>
<form id="trade" autocomplete="off" novalidate>
<fieldset id="keyField" hidden><legend>API key</legend>
<p>This service asks for a key of its own. It stays in this page's memory alone.</p>
<label for="apiKey">Key</label><input id="apiKey" class="secret" autocomplete="off" spellcheck="false">
<button type="submit">Use this key</button></fieldset>
<fieldset id="tradeFields" disabled><legend>Trade</legend>
<label for="chainId">Chain</label><select id="chainId"></select>
<label for="sellToken">Sell</label><select id="sellToken"></select>
<label for="sellOther" hidden>Address of the token to sell</label><input id="sellOther" hidden spellcheck="false" placeholder="0x…">
<button type="button" id="turn">Turn the pair round</button>
<label for="buyToken">Buy</label><select id="buyToken"></select>
<label for="buyOther" hidden>Address of the token to buy</label><input id="buyOther" hidden spellcheck="false" placeholder="0x…">
<label for="side">Exactly</label><select id="side"><option value="sellAmount">so much is sold</option><option value="buyAmount">so much is bought</option></select>
<label for="amount">Amount, in whole tokens</label><input id="amount" inputmode="decimal" spellcheck="false" value="10">
<label for="router">Router</label><select id="router"></select>
<label class="check"><input type="checkbox" id="useRfq"> Ask market makers too</label>
<details><summary>Transaction</summary>
<label class="check"><input type="checkbox" id="includeCalldata" checked> With calldata</label>
<label for="slippage">Tolerance, in percent</label><input id="slippage" inputmode="decimal" value="0.5">
<label for="userAddress">Who trades</label><input id="userAddress" spellcheck="false">
<label for="recipientAddress">Who receives (empty: who trades)</label><input id="recipientAddress" spellcheck="false" placeholder="0x…">
</details>
<button type="submit" class="main">Show the plan</button></fieldset>
</form>
<div id="shown"><div id="news" role="status" aria-live="polite"></div><section id="result" aria-label="The plan"></section></div>
</main>
<noscript><p>This page needs JavaScript. The service itself does not: it answers HTTP.</p></noscript>
</body></html>
`.text;
