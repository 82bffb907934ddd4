import { readFileSync } from 'node:fs';
import { markup } from './markup.ts';

/** Styles that only this page uses, in addition to the styles for drawings and for all pages. */
export const PAGE_CSS = readFileSync(new URL('page.css', import.meta.url), 'utf8');

/** HTML of the page, whose script adds the choices and the plan. */
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
<p>Choose a trade and see its plan. Everything on this page comes from the four operations of the interface.</p>
<p class="jump"><a href="#trade">Change the trade</a></p></header>
<main>
<form id="trade" autocomplete="off" novalidate>
<fieldset id="keyField" hidden><legend>API key</legend>
<p>This service does not accept the demo key. Your key stays in the memory of this page.</p>
<label for="apiKey">Key</label><input id="apiKey" class="secret" autocomplete="off" spellcheck="false">
<button type="submit">Use this key</button></fieldset>
<fieldset id="tradeFields" disabled><legend>Trade</legend>
<label for="chainId">Chain</label><select id="chainId"></select>
<label for="sellToken">Sell</label><select id="sellToken"></select>
<label for="sellOther" hidden>Address of the token to sell</label><input id="sellOther" hidden spellcheck="false" placeholder="0x…">
<button type="button" id="swapSides">Swap direction</button>
<label for="buyToken">Buy</label><select id="buyToken"></select>
<label for="buyOther" hidden>Address of the token to buy</label><input id="buyOther" hidden spellcheck="false" placeholder="0x…">
<label for="side">Exact side</label><select id="side"><option value="sellAmount">Exact input</option><option value="buyAmount">Exact output</option></select>
<label for="amount">Amount, in whole tokens</label><input id="amount" inputmode="decimal" spellcheck="false" value="10">
<label for="router">Router</label><select id="router"></select>
<label class="check"><input type="checkbox" id="useRfq"> Ask market makers too</label>
<details><summary>Transaction</summary>
<label class="check"><input type="checkbox" id="includeCalldata" checked> Include calldata</label>
<label for="slippage">Slippage tolerance, in percent</label><input id="slippage" inputmode="decimal" value="0.5">
<label for="userAddress">Sender</label><input id="userAddress" spellcheck="false">
<label for="recipientAddress">Recipient (empty: the sender)</label><input id="recipientAddress" spellcheck="false" placeholder="0x…">
</details>
<button type="submit" class="main">Show the plan</button></fieldset>
</form>
<div id="shown"><div id="news" role="status" aria-live="polite"></div><section id="result" aria-label="The plan"></section></div>
<section id="more" aria-label="Calldata, request and reply"></section>
</main>
<noscript><p>This page needs JavaScript. The service itself does not: it speaks HTTP.</p></noscript>
</body></html>
`.html;
