import { describeNotJudged, type NotJudged } from '../../model/not-judged.ts';
import type { Report } from '../../model/report.ts';
import { blockMarkup } from '../../output/document-page.ts';
import { type Markup, markup, prose } from '../../output/markup.ts';
import { fixFirst } from '../report-document.ts';
import { formatOutcome, formatTarget, reasonOf, verdictLabel, withRules } from '../rule-results.ts';
import { coverageNotes } from '../run-notes.ts';

type Level = 'must' | 'should' | 'observe';

const LEVEL_WORDS: Record<Level, string> = {
  must: 'Must: stated in the specification',
  should: 'Should: follows from the specification',
  observe: 'Observe: left open by the specification',
};

/**
 * Returns the head of the page: the verdict, what to fix first, facts about the run, the counts of
 * each level, and notes.
 */
export function summarySection(report: Report): Markup {
  const facts: readonly (readonly [string, string])[] = [
    ['Service', formatTarget(report)],
    ['Requests', report.requests.toLocaleString('en')],
    ['Replies judged', report.replies.toLocaleString('en')],
    ...(report.rateLimited ? [['Rate-limited', String(report.rateLimited)] as const] : []),
    ['Took', `${(report.durationMs / 1000).toFixed(1)} s`],
    ['Seed', String(report.seed)],
    ['Tolerance', `${report.tolerancePpm} ppm`],
    ['Started', report.startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')],
  ];
  return markup`<header><h1>swapcheck ${report.version}</h1>
<div class="verdict ${report.verdict}"><strong>${verdictLabel(report)}</strong> <span>${prose(reasonOf(report))}</span></div>
${fixFirstSection(report)}
${notJudgedList(report.notJudged)}
<dl class="facts">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<div class="levels">${(['must', 'should', 'observe'] as const).map((level) => levelCard(level, report))}</div>
${notes(report)}</header>`;
}

function fixFirstSection(report: Report): Markup | undefined {
  const blocks = fixFirst(report);
  if (blocks.length === 0) return undefined;
  return markup`<section class="fix-first" aria-label="Fix first">${blocks.map(blockMarkup)}</section>`;
}

function levelCard(level: Level, { summary }: Report): Markup {
  const { pass, fail, waived, couldNotRun, notApplicable, observed } = summary[level];
  const counts = [
    { outcome: 'pass', count: pass },
    { outcome: 'fail', count: fail },
    { outcome: 'could-not-run', count: couldNotRun },
    { outcome: 'waived', count: waived },
    { outcome: 'observed', count: observed },
    { outcome: 'not-applicable', count: notApplicable },
  ] as const;
  const words = counts
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }, at) => {
      const tone = { fail: 'bad', 'could-not-run': 'warn' }[outcome as string] ?? 'plain';
      return markup`${at === 0 ? '' : ' · '}<span class="${tone}"><b>${count}</b> ${formatOutcome(outcome)}</span>`;
    });
  return markup`<div class="card"><p class="name">${LEVEL_WORDS[level]}</p>${outcomeBar(counts)}<p>${words.length === 0 ? 'no rules' : words}</p></div>`;
}

function outcomeBar(
  counts: readonly { readonly outcome: string; readonly count: number }[],
): Markup {
  const total = Math.max(
    1,
    counts.reduce((sum, { count }) => sum + count, 0),
  );
  let left = 0;
  const parts = counts.map(({ outcome, count }) => {
    const x = left;
    left += (count / total) * 100;
    return markup`<rect class="${outcome}" x="${x}" y="0" width="${left - x}" height="8"/>`;
  });
  return markup`<svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

function notes(report: Report): Markup | undefined {
  const { staleWaivers = [] } = report;
  const coverage = coverageNotes(report);
  if (staleWaivers.length + coverage.length === 0) return undefined;
  return markup`<ul class="notes">${staleWaivers.map(({ rule, why }) => markup`<li>Stale waiver: <span class="mono">${rule}</span>: ${why}</li>`)}${coverage.map((line) => markup`<li>${line}</li>`)}</ul>`;
}

function notJudgedList(notJudged: readonly NotJudged[]): Markup | undefined {
  if (notJudged.length === 0) return undefined;
  return markup`<ul class="notes not-judged" aria-label="Not judged">${notJudged.map(notJudgedItem)}</ul>`;
}

/** Collapses the rules of an entry if there are more than three. */
function notJudgedItem(entry: NotJudged): Markup {
  if (entry.rules.length <= 3) return markup`<li>Not judged: ${prose(withRules(entry))}</li>`;
  return markup`<li><details><summary>Not judged: ${prose(describeNotJudged(entry))}</summary><p class="mono">${entry.rules.join(', ')}</p></details></li>`;
}
