import type { Report, RuleResult } from '../../model/report.ts';
import { type Markup, markup, prose, trusted } from '../../output/markup.ts';
import {
  describeObserved,
  formatOutcome,
  groupByClause,
  groupBySection,
  outcomeCounts,
  sectionName,
} from '../rule-results.ts';
import { failureAnchors } from './failure-section.ts';

/** Returns all rules in collapsed groups, one for each section of the specification. */
export function ruleSection({ rules }: Report): Markup {
  const anchors = failureAnchors(rules);
  return markup`<section aria-labelledby="rules"><h2 id="rules">All rules <small>${rules.length}, by section of the specification</small></h2>
${groupBySection(rules).map(([section, members]) => fold(section, members, anchors))}</section>`;
}

function fold(
  section: string,
  rules: readonly RuleResult[],
  anchors: ReadonlyMap<string, string>,
): Markup {
  const counts = outcomeCounts(rules).map(
    ({ outcome, words }) => markup` <span class="chip ${outcome}">${words}</span>`,
  );
  return markup`<details class="fold"><summary><b>${sectionName(section)}</b>${counts}</summary>
<div class="scroll" tabindex="0"><table><thead><tr><th>Rule</th><th>Level</th><th>Outcome</th><th class="number">Checks</th></tr></thead><tbody>
${groupByClause(rules).map(
  ({ clause, words, rules: members }) =>
    markup`<tr class="clause"><th colspan="4" scope="rowgroup">${clause}${words === undefined ? undefined : markup` <small>${prose(words)}</small>`}</th></tr>
${members.map((rule) => ruleRow(rule, anchors.get(rule.id)))}`,
)}</tbody></table></div></details>`;
}

function ruleRow(rule: RuleResult, anchor: string | undefined): Markup {
  const { id, level, outcome, title, checks, why } = rule;
  // A separate section shows the observations of `observe` rules.
  const remark = why ?? (level === 'observe' ? undefined : describeObserved(rule));
  return markup`<tr data-rule="${id}" data-verdict="${outcome}" data-level="${level}">
<td>${anchor !== undefined ? markup`<a href="#${anchor}">${prose(title)}</a>` : prose(title)}<span class="why mono">${id}</span>${remark === undefined ? undefined : markup`<span class="why">${remark}</span>`}</td>
<td class="level">${level}</td><td><span class="chip ${outcome}">${formatOutcome(outcome)}</span></td><td class="number" data-label="checks">${checks}</td>${trusted('</tr>')}`;
}

const OUTCOMES = ['fail', 'could-not-run', 'waived', 'pass', 'observed', 'not-applicable'] as const;

/**
 * Returns the filters for cards and rules. The script shows the filters and stores their values in
 * the URL.
 */
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
  return markup`<option value="${outcome}">${formatOutcome(outcome)} (${count})</option>`;
}
