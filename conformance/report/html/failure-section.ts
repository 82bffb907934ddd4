import { EXCERPT_CHARACTERS } from '../../client/exchange.ts';
import { planDefinitions } from '../../drawing/plan-svg.ts';
import type { Failure, Report, RuleResult } from '../../model/report.ts';
import { type Markup, markup, prose, trusted } from '../../output/markup.ts';
import { printable } from '../../output/printable.ts';
import { clauseSentence } from '../clause-sentence.ts';
import { failureParts } from '../failure-parts.ts';
import { explainCommand, rulePageUrl } from '../rule-page.ts';
import { groupByClause } from '../rule-results.ts';
import { jsonView } from './json-view.ts';
import { moneyFigure, planFigure } from './plan-figure.ts';

const MOST_CAUSES = 300;
const MOST_DRAWINGS = 60;
/** Causes of one rule often share a kind of plan. */
const MOST_DRAWINGS_OF_RULE = 5;

/** Returns the id of a rule's card on the page. */
export function failureAnchor(ruleId: string): string {
  return `failure-${ruleId.replace(/[^A-Za-z0-9]+/g, '-')}`;
}

/** Returns a card a rule that failed, with its causes in it; the first one is open. */
export function failureSection({ rules }: Report): Markup {
  const failed = groupByClause(rules)
    .flatMap((group) => group.rules)
    .filter(({ failures }) => failures.length > 0);
  if (failed.length === 0) return markup``;
  let room = MOST_CAUSES;
  let drawings = MOST_DRAWINGS;
  const cards = failed.map((rule, at) => {
    const shown = rule.failures.slice(0, room);
    const drawn = Math.min(drawings, MOST_DRAWINGS_OF_RULE);
    room -= shown.length;
    drawings -= Math.min(drawn, shown.filter(({ plan }) => plan !== undefined).length);
    return shown.length === 0 ? markup`` : card(rule, shown, { drawn, isOpen: at === 0 });
  });
  const all = failed.reduce((sum, { failures }) => sum + failures.length, 0);
  const left = all - (MOST_CAUSES - room);
  return markup`<section aria-labelledby="failures"><h2 id="failures">Failures <small>${counted(failed.length, 'rule')}, ${counted(all, 'cause')}</small></h2>
${planDefinitions()}
${cards}
${left > 0 ? markup`<p>${left} more failures are in the JSON report.</p>` : undefined}</section>`;
}

function card(
  rule: RuleResult,
  failures: readonly Failure[],
  { drawn, isOpen }: { readonly drawn: number; readonly isOpen: boolean },
): Markup {
  const isWaived = rule.outcome === 'waived';
  const seen = rule.failures.reduce((sum, { count }) => sum + count, 0);
  const causes = rule.failures.length === 1 ? '' : `${rule.failures.length} causes, `;
  return markup`<details class="failure ${rule.level}${isWaived ? ' waived' : ''}" id="${failureAnchor(rule.id)}" data-rule="${rule.id}"${isOpen ? trusted(' open') : undefined}>
<summary><span class="chip ${isWaived ? 'waived' : `fail ${rule.level}`}">${isWaived ? 'waived' : rule.level}</span><b>${prose(rule.title)}</b><span class="mono">${rule.clause} · ${rule.id}</span><span class="count">${causes}seen ${times(seen)}</span></summary>
<div class="parts">
${rule.clauseWords === undefined ? undefined : markup`<blockquote><b>${rule.clause}</b> ${prose(clauseSentence(rule.clauseWords))}</blockquote>`}
${morePart(rule)}
${failures.map((failure, at) => cause(failure, { isDrawn: at < drawn, isAlone: rule.failures.length === 1, isOpen: at === 0 }))}
</div></details>`;
}

/** Where the rule's page is. */
function morePart(rule: RuleResult): Markup | undefined {
  const command = explainCommand(rule);
  if (command === undefined) return undefined;
  const url = rulePageUrl(rule.id);
  const words = 'why it matters, and how services get it wrong';
  return url === undefined
    ? markup`<p class="more"><code>${command}</code> tells ${words}.</p>`
    : markup`<p class="more"><a href="${url}">${rule.id}</a>: ${words}.</p>`;
}

function cause(
  failure: Failure,
  how: { readonly isDrawn: boolean; readonly isAlone: boolean; readonly isOpen: boolean },
): Markup {
  const parts = failureParts(failure);
  const seen = parts.findIndex(([label]) => label === 'Seen');
  const { plan, money, pointer } = failure;
  const body = markup`<dl>${parts.slice(0, seen).map(([label, value]) => part(label, value, failure))}</dl>
${how.isDrawn && plan !== undefined ? planFigure(plan, pointer) : undefined}
${money?.length ? moneyFigure(money) : undefined}
<dl>${parts.slice(seen).map(([label, value]) => part(label, value, failure))}</dl>`;
  if (how.isAlone) return body;
  const [, actual = ''] = parts.find(([label]) => label === 'Actual') ?? [];
  return markup`<details class="cause"${how.isOpen ? trusted(' open') : undefined}><summary><span>${printable(actual, 160)}</span>${failure.waiver && markup`<span class="chip waived">waived</span>`}<span class="count">seen ${times(failure.count)}</span></summary>
${body}</details>`;
}

function part(label: string, value: string, failure: Failure): Markup {
  switch (label) {
    case 'Repeat':
    case 'In PowerShell':
      return markup`<dt>${label}</dt><dd class="line"><pre tabindex="0">${value}</pre><button type="button" data-copy hidden>Copy</button></dd>`;
    case 'Where':
      return markup`<dt>Where</dt><dd><span class="mono">${value}</span>${placeView(failure)}</dd>`;
    case 'Reply':
      return markup`<dt>Reply</dt><dd>${replyView(failure)}</dd>`;
    case 'Evidence':
      return markup`<dt>Evidence</dt><dd><a class="mono" href="${value}">${value}</a>: swapcheck replay makes it again</dd>`;
    default: {
      const kind = { Expected: 'expected', Actual: 'actual' }[label];
      return markup`<dt>${label}</dt><dd${kind === undefined ? undefined : markup` class="${kind}"`}>${prose(printable(value, 1000))}</dd>`;
    }
  }
}

/** What stands at the place of the failure; of something larger, the place in it is marked. */
function placeView({ place, pointer }: Failure): Markup {
  if (place === undefined) return markup``;
  const inside = pointer?.slice(place.pointer.length);
  return markup`<pre class="json" tabindex="0">${jsonView(place.text, inside === '' ? undefined : inside)}</pre>`;
}

function replyView({ exchange, place, pointer }: Failure): Markup {
  const { status, durationMs, excerpt } = exchange;
  const head = `${status === undefined ? 'No reply' : `HTTP ${status}`} after ${Math.round(durationMs)} ms`;
  const isCut = excerpt.length >= EXCERPT_CHARACTERS;
  const said = isCut ? `${head}, its first ${EXCERPT_CHARACTERS} characters` : head;
  const text = markup`<pre class="json" tabindex="0">${jsonView(excerpt, pointer)}${isCut ? '…' : ''}</pre>`;
  return place === undefined
    ? markup`${said}${text}`
    : markup`<details><summary>${said}</summary>${text}</details>`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
