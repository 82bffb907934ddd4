import type { Report, RuleResult } from '../../model/report.ts';
import { type Markup, markup } from '../../output/markup.ts';
import { outcomeWords } from '../rule-results.ts';

const OUTCOMES = ['fail', 'could-not-run', 'waived', 'pass', 'observed', 'not-applicable'] as const;

/** Returns the filters of cards and rules; the script shows them, and keeps them in the address. */
export function filterForm({ rules }: Report): Markup {
  return markup`<form class="filters" autocomplete="off" hidden>
<input name="text" type="search" placeholder="Search rule, clause, words" aria-label="Search rules">
<select name="verdict" aria-label="Verdict"><option value="">Any verdict</option>${OUTCOMES.map((outcome) => option(outcome, rules))}</select>
<select name="level" aria-label="Level"><option value="">Any level</option><option>must</option><option>should</option><option>observe</option></select>
<output id="shown" aria-live="polite"></output>
</form>`;
}

function option(outcome: RuleResult['outcome'], rules: readonly RuleResult[]): Markup {
  const count = rules.filter((rule) => rule.outcome === outcome).length;
  if (count === 0) return markup``;
  return markup`<option value="${outcome}">${outcomeWords(outcome)} (${count})</option>`;
}
