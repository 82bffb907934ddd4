import { type Plan, type PlanToken, planIn, readSwapBody } from '../../conformance/checks/plan.ts';
import { planGraph } from '../../conformance/drawing/plan-graph.ts';
import { drawPlan, planDefinitions } from '../../conformance/drawing/plan-svg.ts';
import { amountText } from '../../conformance/model/amount-text.ts';
import { sketchPlan } from '../../conformance/model/plan-sketch.ts';
import { type Markup, markup, markupLines } from '../../conformance/output/markup.ts';
import { decodeCalldata } from './decode-calldata.ts';

/** A trade that was asked for, and what came. */
export type ShownTrade = {
  readonly reply: unknown;
  /** The reply as it was sent. */
  readonly text: string;
  readonly ms: number;
  readonly curl: string;
  readonly isExactInput: boolean;
  /** A part of one, as the request has it. */
  readonly tolerance: string;
  readonly routerName: string;
};

/** Returns all that the page shows of a plan; `small` is the reply for a small part of the trade. */
export function describeTrade(trade: ShownTrade, small?: unknown): readonly Markup[] {
  const body = readSwapBody(trade.reply);
  const plan = planIn(body);
  const sketch = sketchPlan(body);
  if (plan === undefined || sketch === undefined) {
    return [markup`<h2>A reply without a plan that can be read</h2>`, rawReply(trade)];
  }
  const graph = planGraph(sketch, undefined);
  const [sold, bought] = [legText(plan, 'sell'), legText(plan, 'buy')];
  return [
    markup`<h2>${sold} → ${bought}</h2>`,
    markup`<dl class="figures">${figures(plan, trade, planIn(readSwapBody(small))).map(
      ([name, value, note]) =>
        markup`<div><dt>${name}</dt><dd>${value}${note === undefined ? undefined : markup`<small>${note}</small>`}</dd></div>`,
    )}</dl>`,
    markup`<h2>Plan</h2>${planDefinitions()}<figure><div class="drawing" tabindex="0" role="group" aria-label="The plan as a graph">${drawPlan(graph, 'LR')}${drawPlan(graph, 'TB')}</div><figcaption>Boxes are tokens, arrows swaps: the pool, the share of the token that goes through it, and what goes in and comes out.</figcaption></figure>`,
    swapTable(plan),
    calldataSection(plan),
    markup`<h2>The request</h2><div class="row"><pre id="curl" tabindex="0">${trade.curl}</pre><button type="button" data-copy="curl">Copy</button></div>`,
    rawReply(trade),
  ];
}

type Figure = readonly [name: string, value: string, note?: string];

function figures(
  plan: Plan,
  { isExactInput, tolerance, ms, routerName }: ShownTrade,
  small?: Plan,
): Figure[] {
  const [sell, buy] = [wholeLeg(plan, 'sell'), wholeLeg(plan, 'buy')];
  const price = buy.amount / sell.amount;
  const isCalldata = typeof plan.fields.calldata === 'string';
  const bps = BigInt(Math.round(Number(tolerance) * 10_000));
  const [least, most] = [
    (plan.buy.amount * (10_000n - bps) + 9_999n) / 10_000n,
    (plan.sell.amount * (10_000n + bps)) / 10_000n,
  ];
  const bound: Figure = isExactInput
    ? ['Bought at least', legText(plan, 'buy', least), `within ${Number(bps) / 100} % of the quote`]
    : ['Sold at most', legText(plan, 'sell', most), `within ${Number(bps) / 100} % of the quote`];
  return [
    [
      'Price',
      `${figure(price)} ${buy.symbol}`,
      `for 1 ${sell.symbol}; ${figure(1 / price)} ${sell.symbol} for 1 ${buy.symbol}`,
    ],
    ...impactFigures(plan, small),
    ...(isCalldata ? [bound] : []),
    ...gasFigures(plan),
    [
      'Worth',
      `$${figure(buy.amount * buy.usdPrice)} bought`,
      `for $${figure(sell.amount * sell.usdPrice)} sold, at the reply's USD prices`,
    ],
    [
      'Answered',
      `in ${ms.toFixed(ms < 10 ? 1 : 0)} ms`,
      `${plan.routes.length} swaps by ${routerName}`,
    ],
  ];
}

/** Price of the buy token in the sell token, base unit for base unit. */
function unitPrice({ sell, buy }: Plan): number {
  return Number(buy.amount) / Number(sell.amount);
}

function impactFigures(plan: Plan, small: Plan | undefined): Figure[] {
  if (small === undefined) return [];
  const impact = 1 - unitPrice(plan) / unitPrice(small);
  return [['Price impact', percent(impact), 'compared with a thousandth of the trade']];
}

function gasFigures({ fields: { gasLimit } }: Plan): Figure[] {
  return typeof gasLimit === 'string'
    ? [['Gas limit', figure(Number(gasLimit)), 'an upper bound']]
    : [];
}

function swapTable(plan: Plan): Markup {
  const spent = new Map<unknown, bigint>();
  for (const { from } of plan.routes) {
    for (const { referenceId, amount } of from) {
      spent.set(referenceId, (spent.get(referenceId) ?? 0n) + amount);
    }
  }
  const rows = plan.routes.map(({ fields, from, to }) => {
    const [share] = from.map(
      ({ referenceId, amount }) =>
        Number((amount * 10_000n) / (spent.get(referenceId) || 1n)) / 100,
    );
    const side = (legs: typeof from) =>
      legs.map((leg) => tokenText(plan, leg.referenceId, leg.amount)).join(', ');
    return markup`<tr><th scope="row">${String(fields.name)}</th><td data-label="Share" class="number">${share === undefined ? '' : `${share} %`}</td><td>${side(from)}</td><td>${side(to)}</td><td class="mono">${String(fields.address)}</td></tr>`;
  });
  return markup`<details><summary>The ${plan.routes.length} swaps as a table</summary><div class="scroll" tabindex="0" role="group" aria-label="The swaps"><table><thead><tr><th scope="col">Source</th><th scope="col">Share</th><th scope="col">In</th><th scope="col">Out</th><th scope="col">Pool</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

function calldataSection(plan: Plan): Markup {
  const { calldata, routerAddress } = plan.fields;
  if (typeof calldata !== 'string') return markup``;
  const bySpelling = new Map(
    plan.tokens.map((token) => [String(token.fields.address).toLowerCase(), token]),
  );
  const decoded = decodeCalldata(calldata, {
    nameOf: (address) => symbolOf(bySpelling.get(address.toLowerCase())) ?? address,
    amountOf: (units, address) => {
      const token = bySpelling.get(address.toLowerCase());
      return `${amountText(String(units), decimalsOf(token))} ${symbolOf(token) ?? address}`;
    },
  });
  const told =
    decoded &&
    markup`<dl class="call"><dt>calls</dt><dd class="mono">${decoded.signature}</dd><dt>of</dt><dd class="mono">${String(routerAddress)}</dd>${decoded.fields.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}</dl><ol class="steps">${decoded.steps.map((step) => markup`<li>${step}</li>`)}</ol>`;
  return markup`<h2>Calldata</h2>${told ?? markup`<p>No router whose calls this page can read.</p>`}<details><summary>${(calldata.length - 2) / 2} bytes as they are sent</summary><div class="row"><pre id="calldata" tabindex="0">${calldata}</pre><button type="button" data-copy="calldata">Copy</button></div></details>`;
}

function rawReply({ reply, text }: ShownTrade): Markup {
  return markup`<h2>The reply</h2><details><summary>${text.length} characters of JSON</summary><div class="row"><pre class="long" id="reply" tabindex="0">${markupLines(JSON.stringify(reply, undefined, 2))}</pre><button type="button" data-copy="reply">Copy</button></div></details>`;
}

function legText(plan: Plan, side: 'sell' | 'buy', amount = plan[side].amount): string {
  const leg = plan[side];
  const isNative = side === 'sell' ? plan.fields.sell : plan.fields.buy;
  const flags = (isNative ?? {}) as { wrapFromNative?: unknown; unwrapToNative?: unknown };
  const native = flags.wrapFromNative === true || flags.unwrapToNative === true ? ' (native)' : '';
  return `${tokenText(plan, leg.referenceId, amount)}${native}`;
}

function tokenText({ tokens }: Plan, id: unknown, amount: bigint): string {
  const token = tokens.find(({ referenceId }) => referenceId === id);
  return `${amountText(String(amount), decimalsOf(token))} ${symbolOf(token) ?? `of ${id}`}`;
}

function wholeLeg({ tokens, ...plan }: Plan, side: 'sell' | 'buy') {
  const { referenceId, amount } = plan[side];
  const token = tokens.find((each) => each.referenceId === referenceId);
  return {
    amount: Number(amount) / 10 ** (decimalsOf(token) ?? 0),
    symbol: symbolOf(token) ?? '?',
    usdPrice: token?.usdPrice ?? 0,
  };
}

function symbolOf(token: PlanToken | undefined): string | undefined {
  return token && String(token.fields.symbol);
}

function decimalsOf(token: PlanToken | undefined): number | undefined {
  const decimals = token?.fields.decimals;
  return typeof decimals === 'number' ? decimals : undefined;
}

function figure(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 6 });
}

function percent(part: number): string {
  return `${(part * 100).toLocaleString('en-US', { maximumSignificantDigits: 3 })} %`;
}
