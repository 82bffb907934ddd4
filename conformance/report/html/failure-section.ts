import { planGraph } from '../../drawing/plan-graph.ts';
import { drawPlan, planDefinitions } from '../../drawing/plan-svg.ts';
import type { Moved } from '../../model/evidence.ts';
import type { Failure, Report, RuleResult } from '../../model/report.ts';
import { type Markup, markup, prose, trusted } from '../../output/markup.ts';
import { printable, printableLines } from '../../output/printable.ts';
import { failureParts } from '../failure-parts.ts';
import { groupByClause } from '../rule-results.ts';
import { moneyGraph, paymentsLeftOut } from './money-graph.ts';

const MAX_FAILURES = 300;
const MAX_DRAWINGS = 60;

/** Returns the id of a rule's first failure on the page. */
export function failureAnchor(ruleId: string): string {
  return `failure-${ruleId.replace(/[^A-Za-z0-9]+/g, '-')}`;
}

/** Returns every failure with its parts, its plan drawn; the first one is open. */
export function failureSection(report: Report): Markup {
  const entries = groupByClause(report.rules).flatMap(({ rules }) =>
    rules.flatMap((rule) =>
      rule.failures.map((failure, at) => ({ rule, failure, isFirst: at === 0 })),
    ),
  );
  if (entries.length === 0) return markup``;
  const shown = entries.slice(0, MAX_FAILURES);
  let drawings = 0;
  const blocks = shown.map(({ rule, failure, isFirst }, at) => {
    const draw = failure.plan !== undefined && drawings < MAX_DRAWINGS;
    if (draw) drawings += 1;
    return failureBlock(rule, failure, { isFirst, open: at === 0, draw });
  });
  const left = entries.length - shown.length;
  return markup`<section aria-labelledby="failures"><h2 id="failures">Failures <small>${entries.length}</small></h2>
${planDefinitions()}
${blocks}
${left > 0 ? markup`<p>${left} more failures are in the JSON report.</p>` : undefined}</section>`;
}

function failureBlock(
  rule: RuleResult,
  failure: Failure,
  { isFirst, open, draw }: { isFirst: boolean; open: boolean; draw: boolean },
): Markup {
  const waived = failure.waiver !== undefined;
  const parts = failureParts(failure);
  const plan = parts.findIndex(([label]) => label === 'Seen');
  const times = failure.count === 1 ? 'once' : `${failure.count} times`;
  return markup`<details class="failure ${rule.level}${waived ? ' waived' : ''}"${isFirst ? markup` id="${failureAnchor(rule.id)}"` : undefined}${open ? trusted(' open') : undefined}>
<summary><span class="chip ${waived ? 'waived' : `fail ${rule.level}`}">${waived ? 'waived' : rule.level}</span><b>${prose(rule.title)}</b><span class="mono">${rule.clause} · ${rule.id}</span><span class="count">seen ${times}</span></summary>
<div class="parts">
${rule.clauseWords === undefined ? undefined : markup`<blockquote><b>${rule.clause}</b> ${prose(rule.clauseWords)}</blockquote>`}
<dl>${parts.slice(0, plan).map(([label, value]) => part(label, value, failure))}</dl>
${draw ? figure(failure) : undefined}
${failure.money?.length ? moneyFigure(failure.money) : undefined}
<dl>${parts.slice(plan).map(([label, value]) => part(label, value, failure))}</dl>
</div></details>`;
}

function part(label: string, value: string, failure: Failure): Markup {
  if (label === 'Repeat') {
    return markup`<dt>Repeat</dt><dd class="line"><pre>${value}</pre><button type="button" data-copy hidden>Copy</button></dd>`;
  }
  if (label === 'Reply') {
    const { status, durationMs } = failure.exchange;
    const head = status === undefined ? 'No reply' : `HTTP ${status}`;
    return markup`<dt>Reply</dt><dd>${head} after ${Math.round(durationMs)} ms<pre>${excerpt(failure)}</pre></dd>`;
  }
  if (label === 'Evidence') {
    return markup`<dt>Evidence</dt><dd><a class="mono" href="${value}">${value}</a>: swapcheck replay makes it again</dd>`;
  }
  const kind = { Expected: 'expected', Actual: 'actual', Where: 'mono' }[label];
  return markup`<dt>${label}</dt><dd${kind === undefined ? undefined : markup` class="${kind}"`}>${printable(value, 1000)}</dd>`;
}

/** Line breaks of the reply stay line breaks. */
function excerpt({ exchange }: Failure): Markup {
  const lines = printableLines(exchange.excerpt, 4000).split('\n');
  return markup`${lines.map((line, at) => markup`${at === 0 ? '' : trusted('\n')}${line}`)}`;
}

function moneyFigure(money: readonly Moved[]): Markup {
  const graph = moneyGraph(money);
  const left = paymentsLeftOut(money);
  const draw = (direction: 'LR' | 'TB') =>
    drawPlan(graph, direction, `Who paid whom: ${graph.edges.length} payments`);
  return markup`<figure class="money"><div class="drawing" tabindex="0">${draw('LR')}${draw('TB')}</div>
<figcaption>Who paid whom in the transaction, by its logs. Accounts that neither the plan nor the service names are dashed.${left > 0 ? ` Not drawn: ${left} payments more.` : ''}</figcaption></figure>`;
}

function figure({ plan, pointer }: Failure): Markup | undefined {
  if (plan === undefined) return undefined;
  const graph = planGraph(plan, pointer);
  const { omittedRoutes, omittedTokens } = plan;
  const left = omittedRoutes + omittedTokens > 0;
  return markup`<figure><div class="drawing" tabindex="0">${drawPlan(graph, 'LR')}${drawPlan(graph, 'TB')}</div>
<figcaption>The plan of this reply: share of the token, then what goes in and comes out. ✗ marks the place of the failure; dashed swaps run in a circle.${left ? ` Not drawn: ${omittedRoutes} routes and ${omittedTokens} tokens more.` : ''}</figcaption></figure>`;
}
