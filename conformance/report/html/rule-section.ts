import type { Report, RuleResult } from '../../model/report.ts';
import { type Markup, markup, prose, trusted } from '../../output/markup.ts';
import { groupByClause, outcomeWords } from '../rule-results.ts';
import { failureAnchor } from './failure-section.ts';

const OUTCOMES = ['fail', 'could-not-run', 'waived', 'pass', 'observed', 'not-applicable'] as const;

/** Returns the table of all rules by clause, with its filters and search. */
export function ruleSection({ rules }: Report): Markup {
  return markup`<section aria-labelledby="rules"><h2 id="rules">Rules by clause <small>${rules.length}</small></h2>
<form class="filters" autocomplete="off">
<input id="search" type="search" placeholder="Search rule, clause, words" aria-label="Search rules">
<select id="outcome" aria-label="Outcome"><option value="">Any outcome</option>${OUTCOMES.map((outcome) => outcomeOption(outcome, rules))}</select>
<select id="level" aria-label="Level"><option value="">Any level</option><option>must</option><option>should</option><option>observe</option></select>
<output id="shown" aria-live="polite"></output>
</form>
<div class="scroll"><table><thead><tr><th>Rule</th><th>Level</th><th>Outcome</th><th>Checks</th></tr></thead><tbody>
${groupByClause(rules).map(
  ({ clause, words, rules: members }) =>
    markup`<tr class="clause"><th colspan="4">${clause}${words === undefined ? undefined : markup` <small>${prose(words)}</small>`}</th></tr>
${members.map(ruleRow)}`,
)}</tbody></table></div></section>`;
}

function outcomeOption(outcome: RuleResult['outcome'], rules: readonly RuleResult[]): Markup {
  const count = rules.filter((rule) => rule.outcome === outcome).length;
  if (count === 0) return markup``;
  return markup`<option value="${outcome}">${outcomeWords(outcome)} (${count})</option>`;
}

function ruleRow(rule: RuleResult): Markup {
  const { id, clause, level, outcome, title, checks, why, clauseWords = '' } = rule;
  const text = [id, clause, level, title, clauseWords, why ?? '', rule.observed ?? ''].join(' ');
  const seen = rule.failures.length > 0;
  // What rules of level observe saw has a section of its own.
  const remark = why ?? (level === 'observe' ? undefined : rule.observed);
  return markup`<tr data-rule="${id}" data-outcome="${outcome}" data-level="${level}" data-text="${text}">
<td>${seen ? markup`<a href="#${failureAnchor(id)}">${prose(title)}</a>` : prose(title)}<span class="why mono">${id}</span>${remark === undefined ? undefined : markup`<span class="why">${remark}</span>`}</td>
<td class="level">${level}</td><td><span class="chip ${outcome}">${outcomeWords(outcome)}</span></td><td class="number" data-label="checks">${checks}</td>${trusted('</tr>')}`;
}
