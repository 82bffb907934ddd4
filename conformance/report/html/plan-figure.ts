import { counted } from '../../contract/counted.ts';
import { MAX_SEPARATE_ROUTES, type PlanGraph, planGraph } from '../../drawing/plan-graph.ts';
import { drawPlan } from '../../drawing/plan-svg.ts';
import type { Moved } from '../../model/evidence.ts';
import { amountOf } from '../../model/format-amount.ts';
import type { PlanSketch } from '../../model/plan-sketch.ts';
import { type Span, type Table, tableOf } from '../../output/document.ts';
import { blockMarkup } from '../../output/document-page.ts';
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
  return figure(graph, words, tableOf(['Route', 'Source', 'In', 'Out'], planRows(plan)));
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
      fromName,
      toName,
      bothUnits(amount, token),
    ]);
  const named = `Who paid whom: ${counted(graph.edges.length, 'payment')}`;
  return figure(graph, words, tableOf(['From', 'To', 'Amount'], rows), named);
}

const MAX_ROWS = 60;

function figure(
  graph: PlanGraph,
  words: readonly string[],
  blocks: readonly Table[],
  money?: string,
): Markup {
  const table = { kind: 'fold', title: 'All amounts, also in base units', blocks } as const;
  return markup`<figure${money === undefined ? undefined : markup` class="money"`}><div class="drawing" tabindex="0" role="group" aria-label="${money ?? 'The plan, drawn'}">${drawPlan(graph, money)}</div>
<figcaption>${words.join(' ')} <span class="wide-hint">A drawing wider than its frame scrolls sideways.</span></figcaption>
${blockMarkup(table)}</figure>`;
}

function planRows({ tokens, routes, sell, buy }: PlanSketch): Table['rows'] {
  const tokenOf = (ref: string) => tokens.find((token) => token.ref === ref);
  type Leg = { readonly ref: string; readonly amount: string };
  const legs = (all: readonly (Leg | undefined)[]) =>
    all.flatMap((leg) => (leg === undefined ? [] : bothUnits(leg.amount, tokenOf(leg.ref))));
  return [
    ['the whole plan', '', legs([sell]), legs([buy])],
    ...routes.map(({ index, name, fromTokens, toTokens }) => [
      String(index),
      name,
      legs(fromTokens),
      legs(toTokens),
    ]),
  ];
}

function bothUnits(amount: string, token: Parameters<typeof amountOf>[1]): readonly Span[] {
  return [`${amountOf(amount, token)} `, { text: amount, tint: 'dim' }, ' '];
}
