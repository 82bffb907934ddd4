import { EXCERPT_CHARACTERS } from '../../client/exchange.ts';
import type { Failure, RuleResult } from '../../model/report.ts';
import { type Markup, markup, prose } from '../../output/markup.ts';
import { ruleWords } from '../../rules/rule-words.ts';
import { rulePageUrl } from '../rule-page.ts';
import { jsonView } from './json-view.ts';

/** Returns the pointer of a failure and the JSON at it, in which the failing value is marked. */
export function placeView({ place, pointer }: Failure, words: string): Markup {
  const title = markup`<span class="mono">${words}</span>`;
  if (place === undefined) return title;
  // A mark around the whole excerpt would distinguish nothing.
  const inside = pointer?.slice(place.pointer.length);
  return markup`${title}${jsonBlock(place.text, inside === '' ? undefined : inside)}`;
}

/** Returns the reply, collapsed if the page shows the place of the failure. */
export function replyView({ exchange, place, pointer }: Failure): Markup {
  const { status, durationMs, excerpt } = exchange;
  const head = `${status === undefined ? 'No reply' : `HTTP ${status}`} after ${Math.round(durationMs)} ms`;
  const isCut = excerpt.length >= EXCERPT_CHARACTERS;
  const title = isCut ? `${head}, first ${EXCERPT_CHARACTERS} characters` : head;
  const text = jsonBlock(excerpt, pointer, isCut ? '…' : '');
  return place === undefined
    ? markup`${title}${text}`
    : markup`<details><summary>${title}</summary>${text}</details>`;
}

function jsonBlock(text: string, pointer: string | undefined, end = ''): Markup {
  return markup`<pre class="json" tabindex="0">${jsonView(text, pointer)}${end}</pre>`;
}

/** Returns the command that explains a rule, a link to its page, and why the rule matters. */
export function explanation({ id }: RuleResult, command: string): Markup {
  const { why, harm } = ruleWords(id) ?? {};
  const url = rulePageUrl(id);
  const link = url && markup` <a href="${url}">${id}</a>`;
  return markup`<code>${command}</code>${link}${why && markup`<details><summary>Why it matters</summary><p>${prose(why)}</p>${harm && markup`<p>${prose(harm)}</p>`}</details>`}`;
}

/** Returns the ids of rules, collapsed. */
export function ruleIdList(ids: readonly string[]): Markup {
  return markup`<details><summary>${ids.length} rules</summary><p class="mono">${ids.join(', ')}</p></details>`;
}
