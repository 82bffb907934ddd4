import { counted } from '../../contract/counted.ts';
import { MAX_SEPARATE_ROUTES, type PlanGraph, planGraph } from '../../drawing/plan-graph.ts';
import { drawPlan } from '../../drawing/plan-svg.ts';
import type { Moved } from '../../model/evidence.ts';
import { amountOf } from '../../model/format-amount.ts';
import type { PlanSketch } from '../../model/plan-sketch.ts';
import { type Markup, markup } from '../../output/markup.ts';
import { moneyGraph, omittedPayments } from './money-graph.ts';

/** Returns a drawing of a plan, with a mark at the pointer, and a table of the plan's amounts. */
export function planFigure(plan: PlanSketch, pointer: string | undefined): Markup {
  const graph = planGraph(plan, pointer);
  const { omittedRoutes, omittedTokens } = plan;
  const isMarked = [...graph.nodes, ...graph.edges].some(({ marked }) => marked);
  const words = [
    'The plan in this reply. Each arrow shows its share of the token, also as its width, then its input and output. Dashed red swaps form a cycle.',
    ...(plan.routes.length > MAX_SEPARATE_ROUTES
      ? [
          'Routes between the same two tokens are merged into one arrow, with the number of sources.',
        ]
      : []),
    ...(isMarked ? ['✗ marks the place of the failure.'] : []),
    ...(omittedRoutes + omittedTokens > 0
      ? [
          `Not drawn: ${counted(omittedRoutes, 'more route')} and ${counted(omittedTokens, 'more token')}.`,
        ]
      : []),
  ];
  return figure(graph, words, amountTable(['Route', 'Source', 'In', 'Out'], planRows(plan)));
}

/** Returns a drawing and a table of a settlement's payments. */
export function moneyFigure(money: readonly Moved[]): Markup {
  const graph = moneyGraph(money);
  const omitted = omittedPayments(money);
  const words = [
    'Who paid whom in the transaction, according to its logs. Accounts that neither the plan nor the service names are dashed.',
    ...(omitted > 0 ? [`Not drawn: ${counted(omitted, 'more payment')}.`] : []),
  ];
  const rows = money
    .slice(0, MAX_ROWS)
    .map(({ from, fromName = from, to, toName = to, amount, ...token }) => [
      markup`${fromName}`,
      markup`${toName}`,
      bothUnits(amount, token),
    ]);
  const named = `Who paid whom: ${counted(graph.edges.length, 'payment')}`;
  return figure(graph, words, amountTable(['From', 'To', 'Amount'], rows), named);
}

const MAX_ROWS = 60;

function figure(graph: PlanGraph, words: readonly string[], table: Markup, money?: string): Markup {
  return markup`<figure${money === undefined ? undefined : markup` class="money"`}><div class="drawing" tabindex="0" role="group" aria-label="${money ?? 'The plan, drawn'}">${drawPlan(graph, money)}</div>
<figcaption>${words.join(' ')} <span class="wide-hint">A drawing wider than its frame scrolls sideways.</span></figcaption>
${table}</figure>`;
}

function planRows({ tokens, routes, sell, buy }: PlanSketch): readonly (readonly Markup[])[] {
  const tokenOf = (ref: string) => tokens.find((token) => token.ref === ref);
  type Leg = { readonly ref: string; readonly amount: string };
  const legs = (all: readonly (Leg | undefined)[]) =>
    markup`${all.map((leg) => (leg === undefined ? markup`` : bothUnits(leg.amount, tokenOf(leg.ref))))}`;
  return [
    [markup`the whole plan`, markup``, legs([sell]), legs([buy])],
    ...routes.map(({ index, name, fromTokens, toTokens }) => [
      markup`${index}`,
      markup`${name}`,
      legs(fromTokens),
      legs(toTokens),
    ]),
  ];
}

function bothUnits(amount: string, token: Parameters<typeof amountOf>[1]): Markup {
  return markup`<span class="units">${amountOf(amount, token)} <small>${amount}</small></span>`;
}

function amountTable(names: readonly string[], rows: readonly (readonly Markup[])[]): Markup {
  return markup`<details class="amounts"><summary>All amounts, also in base units</summary><div class="scroll" tabindex="0"><table><thead><tr>${names.map((name) => markup`<th>${name}</th>`)}</tr></thead><tbody>${rows.map((cells) => markup`<tr>${cells.map((cell, at) => markup`<td data-label="${names[at]}">${cell}</td>`)}</tr>`)}</tbody></table></div></details>`;
}
