import { formatUnits } from 'viem/utils';
import type { RouteToken, SwapResponse } from '../../conformance/contract/resources.ts';
import { decodeCalldata } from './decode-calldata.ts';
import { type Markup, markup } from './markup.ts';

/** A requested trade and its reply. */
export type ShownTrade = {
  readonly reply: SwapResponse;
  /** Body of the reply, as received. */
  readonly text: string;
  /** Milliseconds until the reply arrived. */
  readonly ms: number;
  readonly curl: string;
  readonly isExactInput: boolean;
  /** Slippage tolerance as a fraction, as in the request. */
  readonly tolerance: string;
  /** Reply to a trade of a thousandth of the amount, if available. */
  readonly small?: SwapResponse;
};

/** Returns the drawing of a plan as HTML. */
export type DrawPlan = (reply: SwapResponse) => string;

/** Returns HTML with the amounts, metrics, drawing and swaps of a trade's plan. */
export function describePlan(trade: ShownTrade, drawPlan: DrawPlan): Markup {
  const { reply } = trade;
  return markup`<h2>${formatLeg(reply, 'sell')} → ${formatLeg(reply, 'buy')}</h2>
<dl class="metrics">${metrics(trade).map(
    ([name, value, note]) =>
      markup`<div><dt>${name}</dt><dd>${value}<small>${note}</small></dd></div>`,
  )}</dl>
<figure><div class="drawing" tabindex="0" role="group" aria-label="The plan as a graph">${{ html: drawPlan(reply) }}</div><figcaption>Boxes are tokens, arrows are swaps: the source, its share of the token (also the width of the arrow), the amount in and the amount out.</figcaption></figure>
${swapTable(reply)}`;
}

/** Returns HTML with the decoded calldata, the request and the reply of a trade. */
export function describeMessages({ reply, text, curl }: ShownTrade): Markup {
  return markup`${calldataSection(reply)}
<h2>The request</h2><div class="row"><pre id="curl" tabindex="0">${curl}</pre><button type="button" data-copy="curl">Copy</button></div>
<h2>The reply</h2><details><summary>${text.length} characters of JSON</summary><div class="row"><pre class="long" id="reply" tabindex="0">${JSON.stringify(reply, undefined, 2)}</pre><button type="button" data-copy="reply">Copy</button></div></details>`;
}

type Metric = readonly [name: string, value: string, note: string];

function metrics({ reply, small, isExactInput, tolerance, ms }: ShownTrade): Metric[] {
  const [sell, buy] = [inWholeTokens(reply, 'sell'), inWholeTokens(reply, 'buy')];
  const price = buy.amount / sell.amount;
  const shown: Metric[] = [
    [
      'Price',
      `${formatSixDigits(price)} ${buy.symbol}`,
      `for 1 ${sell.symbol}; ${formatSixDigits(1 / price)} ${sell.symbol} for 1 ${buy.symbol}`,
    ],
  ];
  if (small !== undefined) {
    const impact = 1 - unitPrice(reply) / unitPrice(small);
    shown.push(['Price impact', formatPercent(impact), 'compared with a thousandth of the trade']);
  }
  if (reply.calldata !== undefined) {
    const bps = BigInt(Math.round(Number(tolerance) * 10_000));
    const note = `within ${Number(bps) / 100}% of the quote`;
    const [bought, sold] = [BigInt(reply.buy.amount), BigInt(reply.sell.amount)];
    // Rounded like the limits in the calldata, in favor of the user.
    const minimum = (bought * (10_000n - bps) + 9_999n) / 10_000n;
    const maximum = (sold * (10_000n + bps)) / 10_000n;
    shown.push(
      isExactInput
        ? ['Minimum bought', formatLeg(reply, 'buy', minimum), note]
        : ['Maximum sold', formatLeg(reply, 'sell', maximum), note],
    );
  }
  if (reply.gasLimit !== undefined) {
    shown.push(['Gas limit', formatSixDigits(Number(reply.gasLimit)), 'an upper bound']);
  }
  shown.push(
    [
      'Value',
      `$${formatSixDigits(buy.amount * buy.usdPrice)} bought`,
      `for $${formatSixDigits(sell.amount * sell.usdPrice)} sold, at the USD prices in the reply`,
    ],
    [
      'Response time',
      `${ms.toFixed(ms < 10 ? 1 : 0)} ms`,
      `${reply.routes.length} swaps, settled by ${reply.router}`,
    ],
  );
  return shown;
}

function unitPrice({ sell, buy }: SwapResponse): number {
  return Number(buy.amount) / Number(sell.amount);
}

function swapTable(reply: SwapResponse): Markup {
  const spent = new Map<number, bigint>();
  for (const { referenceId, amount } of reply.routes.flatMap(({ fromTokens }) => fromTokens)) {
    spent.set(referenceId, (spent.get(referenceId) ?? 0n) + BigInt(amount));
  }
  const shareOf = ({ referenceId, amount }: RouteToken) =>
    `${Number((BigInt(amount) * 10_000n) / (spent.get(referenceId) || 1n)) / 100}%`;
  const amounts = (legs: readonly RouteToken[]) =>
    legs
      .map(({ referenceId, amount }) => formatToken(reply, referenceId, BigInt(amount)))
      .join(', ');
  const rows = reply.routes.map(
    ({ name, address, fromTokens, toTokens }) =>
      markup`<tr><th scope="row">${name}</th><td data-label="Share" class="number">${fromTokens.map(shareOf).join(', ')}</td><td>${amounts(fromTokens)}</td><td>${amounts(toTokens)}</td><td class="mono">${address}</td></tr>`,
  );
  return markup`<details><summary>The ${reply.routes.length} swaps as a table</summary><div class="scroll" tabindex="0" role="group" aria-label="The swaps"><table><thead><tr><th scope="col">Source</th><th scope="col" class="number">Share</th><th scope="col">In</th><th scope="col">Out</th><th scope="col">Pool</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

function calldataSection({ calldata, routerAddress = '', tokens }: SwapResponse): Markup {
  if (calldata === undefined) return markup``;
  const tokenAt = (address: string) =>
    tokens.find((token) => token.address.toLowerCase() === address.toLowerCase());
  const call = decodeCalldata(calldata, {
    nameOf: (address) => tokenAt(address)?.symbol ?? address,
    amountOf: (units, address) => {
      const { symbol, decimals } = tokenAt(address) ?? { symbol: address, decimals: 0 };
      return `${formatAmount(units, decimals)} ${symbol}`;
    },
  });
  const decoded =
    call &&
    markup`<dl class="call"><dt>calls</dt><dd class="mono">${call.signature}</dd><dt>on</dt><dd class="mono">${routerAddress}</dd>${call.fields.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}</dl><ol class="steps">${call.steps.map((step) => markup`<li>${step}</li>`)}</ol>`;
  return markup`<h2>Calldata</h2>${decoded ?? markup`<p>This page cannot decode calls to this router.</p>`}<details><summary>${(calldata.length - 2) / 2} bytes, as sent</summary><div class="row"><pre id="calldata" tabindex="0">${calldata}</pre><button type="button" data-copy="calldata">Copy</button></div></details>`;
}

function formatLeg(reply: SwapResponse, side: 'sell' | 'buy', amount = BigInt(reply[side].amount)) {
  const isNative = reply.sell.wrapFromNative === true && side === 'sell';
  const native = isNative || (reply.buy.unwrapToNative === true && side === 'buy');
  return `${formatToken(reply, reply[side].referenceId, amount)}${native ? ' (native)' : ''}`;
}

function formatToken({ tokens }: SwapResponse, id: number, amount: bigint): string {
  const token = tokens.find(({ referenceId }) => referenceId === id);
  return `${formatAmount(amount, token?.decimals ?? 0)} ${token?.symbol ?? `of ${id}`}`;
}

function inWholeTokens({ tokens, ...reply }: SwapResponse, side: 'sell' | 'buy') {
  const { referenceId, amount } = reply[side];
  const token = tokens.find((each) => each.referenceId === referenceId);
  return {
    amount: Number(amount) / 10 ** (token?.decimals ?? 0),
    symbol: token?.symbol ?? '?',
    usdPrice: token?.usdPrice ?? 0,
  };
}

const SIX_DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

/** Rounds down, so that a trade buys at least the amount shown. */
const ROUNDED_DOWN = new Intl.NumberFormat('en', {
  maximumSignificantDigits: 6,
  roundingMode: 'floor',
} as Intl.NumberFormatOptions);

function formatAmount(units: bigint, decimals: number): string {
  return ROUNDED_DOWN.format(formatUnits(units, decimals) as Intl.StringNumericLiteral);
}

function formatSixDigits(value: number): string {
  return SIX_DIGITS.format(value);
}

function formatPercent(part: number): string {
  return `${(part * 100).toLocaleString('en', { maximumSignificantDigits: 3 })}%`;
}
