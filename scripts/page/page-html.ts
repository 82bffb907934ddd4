import { markup } from '../../conformance/output/markup.ts';

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
