import { EXCERPT_CHARACTERS } from '../../client/exchange.ts';
import { counted } from '../../contract/counted.ts';
import type { Failure, Report, RuleResult } from '../../model/report.ts';
import { blockMarkup } from '../../output/document-page.ts';
import { type Markup, markup, prose, trusted } from '../../output/markup.ts';
import { printable } from '../../output/printable.ts';
import { ruleWords } from '../../rules/rule-words.ts';
import { failureParts, formatTimes } from '../failure-parts.ts';
import { consequenceList } from '../report-document.ts';
import { type RootCause, rootCausesOf } from '../root-causes.ts';
import { explainCommand, rulePageUrl } from '../rule-page.ts';
import { jsonView } from './json-view.ts';
import { moneyFigure, planFigure } from './plan-figure.ts';

const MAX_SHOWN_CAUSES = 300;
const MAX_DRAWINGS = 60;
const MAX_VARIANTS = 50;

/**
 * Maps each failed rule's id to the id of the first card that shows the rule. A card that lists the
 * rule only as a consequence counts if there is no other.
 */
export function failureAnchors(rules: readonly RuleResult[]): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  const causes = rootCausesOf(rules).slice(0, MAX_SHOWN_CAUSES);
  for (const rulesOf of [({ rules }: RootCause) => rules, consequentRules]) {
    for (const [index, cause] of causes.entries()) {
      for (const { id } of rulesOf(cause)) if (!anchors.has(id)) anchors.set(id, anchorOf(index));
    }
  }
  return anchors;
}

function consequentRules({ consequences }: RootCause): readonly RuleResult[] {
  return consequences.map(({ rule }) => rule);
}

/** Returns the ids of the rules that a cause breaks or may explain. */
function ruleIdsOf(cause: RootCause): readonly string[] {
  return [...new Set([...cause.rules, ...consequentRules(cause)].map(({ id }) => id))];
}

function anchorOf(index: number): string {
  return `cause-${index + 1}`;
}

/** Returns a card for each root cause, the most urgent first. The first card is open. */
export function failureSection({ rules }: Report): Markup {
  const causes = rootCausesOf(rules);
  if (causes.length === 0) return markup``;
  const failed = new Set(causes.flatMap(ruleIdsOf)).size;
  let drawings = MAX_DRAWINGS;
  const cards = causes.slice(0, MAX_SHOWN_CAUSES).map((cause, index) => {
    const isDrawn = cause.example.plan !== undefined && drawings-- > 0;
    return card(cause, { index, isDrawn });
  });
  const more = causes.length - cards.length;
  return markup`<section aria-labelledby="failures"><h2 id="failures">Failures <small>${counted(causes.length, 'cause')}, ${counted(failed, 'rule')}</small></h2>
${cards}
${more > 0 ? markup`<p>${counted(more, 'more cause is', 'more causes are')} in the JSON report.</p>` : undefined}</section>`;
}

function card(
  cause: RootCause,
  { index, isDrawn }: { readonly index: number; readonly isDrawn: boolean },
): Markup {
  const { rules, count, isWaived } = cause;
  const [first, ...others] = rules;
  if (first === undefined) return markup``;
  const consequences = consequenceList(cause);
  const about = others.length > 0 ? counted(rules.length, 'rule') : `${first.clause} · ${first.id}`;
  return markup`<details class="failure ${first.level}${isWaived ? ' waived' : ''}" id="${anchorOf(index)}" data-rules="${ruleIdsOf(cause).join(' ')}"${index === 0 ? trusted(' open') : undefined}>
<summary><span class="chip ${isWaived ? 'waived' : `fail ${first.level}`}">${isWaived ? 'waived' : first.level}</span><b>${prose(first.title)}${others.length > 0 ? `, and ${others.length} more` : ''}</b><span class="mono">${about}</span><span class="count">seen ${formatTimes(count)}</span></summary>
<div class="parts">
${others.length > 0 ? ruleList(rules) : clauseQuote(first)}
${explanation(first)}
${exampleView(cause, isDrawn)}
${variantList(cause.variants)}
${consequences && blockMarkup(consequences)}
</div></details>`;
}

function ruleList(rules: readonly RuleResult[]): Markup {
  return markup`<ul class="rules">${rules.map(({ id, level, title }) => markup`<li><span class="mono">${id}</span> [${level}]: ${prose(title)}</li>`)}</ul>`;
}

function clauseQuote({ clause, clauseWords }: RuleResult): Markup | undefined {
  if (clauseWords === undefined) return undefined;
  return markup`<blockquote><b>${clause}</b> ${prose(clauseWords)}</blockquote>`;
}

function explanation(rule: RuleResult): Markup | undefined {
  const command = explainCommand(rule);
  if (command === undefined) return undefined;
  const { why, harm, mistake } = ruleWords(rule.id) ?? {};
  if (why === undefined) return undefined;
  const url = rulePageUrl(rule.id);
  const more = url === undefined ? undefined : markup` <a href="${url}">${rule.id}</a>`;
  return markup`<details class="more"><summary>Why it matters, and the usual mistake</summary><p>${prose(why)}</p>${harm && markup`<p>${prose(harm)}</p>`}${mistake && markup`<p>${prose(mistake)}</p>`}<p><code>${command}</code>${more}</p></details>`;
}

function exampleView({ example, count }: RootCause, isDrawn: boolean): Markup {
  const parts = failureParts(example, count);
  const seen = parts.findIndex(([label]) => label === 'Seen');
  const { plan, money, pointer } = example;
  return markup`<dl>${parts.slice(0, seen).map(([label, value]) => part(label, value, example))}</dl>
${isDrawn && plan !== undefined ? planFigure(plan, pointer) : undefined}
${money?.length ? moneyFigure(money) : undefined}
<dl>${parts.slice(seen).map(([label, value]) => part(label, value, example))}</dl>`;
}

function variantList(variants: readonly string[]): Markup | undefined {
  if (variants.length === 0) return undefined;
  const shown = variants.slice(0, MAX_VARIANTS);
  const more = variants.length - shown.length;
  return markup`<details class="variants"><summary>Also found: ${counted(variants.length, 'variant')}</summary><ul>${shown.map((text) => markup`<li>${prose(printable(text, 300))}</li>`)}${more > 0 ? markup`<li>${more} more, in the JSON report</li>` : undefined}</ul></details>`;
}

function part(label: string, value: string, failure: Failure): Markup {
  switch (label) {
    case 'Repeat':
      return markup`<dt>${label}</dt><dd class="line"><pre tabindex="0">${value}</pre><button type="button" data-copy hidden>Copy</button></dd>`;
    case 'Where':
      return markup`<dt>Where</dt><dd><span class="mono">${value}</span>${jsonAtPointer(failure)}</dd>`;
    case 'Reply':
      return markup`<dt>Reply</dt><dd>${replyView(failure)}</dd>`;
    case 'Evidence':
      return markup`<dt>Evidence</dt><dd><a class="mono" href="${value}">${value}</a>: pass it to <code>swapcheck replay</code></dd>`;
    default: {
      const kind = { Expected: 'expected', Actual: 'actual' }[label];
      return markup`<dt>${label}</dt><dd${kind === undefined ? undefined : markup` class="${kind}"`}>${prose(printable(value, 1000))}</dd>`;
    }
  }
}

/** Marks the failing value, unless the excerpt contains nothing else. */
function jsonAtPointer({ place, pointer }: Failure): Markup {
  if (place === undefined) return markup``;
  const inside = pointer?.slice(place.pointer.length);
  return markup`<pre class="json" tabindex="0">${jsonView(place.text, inside === '' ? undefined : inside)}</pre>`;
}

function replyView({ exchange, place, pointer }: Failure): Markup {
  const { status, durationMs, excerpt } = exchange;
  const head = `${status === undefined ? 'No reply' : `HTTP ${status}`} after ${Math.round(durationMs)} ms`;
  const isCut = excerpt.length >= EXCERPT_CHARACTERS;
  const title = isCut ? `${head}, first ${EXCERPT_CHARACTERS} characters` : head;
  const text = markup`<pre class="json" tabindex="0">${jsonView(excerpt, pointer)}${isCut ? '…' : ''}</pre>`;
  return place === undefined
    ? markup`${title}${text}`
    : markup`<details><summary>${title}</summary>${text}</details>`;
}
