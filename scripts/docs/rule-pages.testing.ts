import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { swapBodyIn } from '../../conformance/checks/plan.ts';
import { printRules } from '../../conformance/commands/rules-command.ts';
import { planFile } from '../../conformance/drawing/plan-file.ts';
import { planGraph } from '../../conformance/drawing/plan-graph.ts';
import { formatStatement, type TextOptions } from '../../conformance/model/format-statement.ts';
import { sketchPlan } from '../../conformance/model/plan-sketch.ts';
import type {
  Finding,
  ProbeRule,
  ReplyRule,
  Rule,
  SettlementRule,
} from '../../conformance/model/rule.ts';
import { runProbe } from '../../conformance/model/verdict.testing.ts';
import { rulePage } from '../../conformance/report/rule-page.ts';
import {
  brokenReply,
  correctReplyFor,
  partsOf,
  verdictOn,
} from '../../conformance/rule-kit/broken-replies.testing.ts';
import { brokenSession } from '../../conformance/rule-kit/broken-services.testing.ts';
import { BY_NAME, verdictOnSettlement } from '../../conformance/rule-kit/settlements.testing.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { tokenLookup } from '../../conformance/runner/known-tokens.ts';

/*
 * `npm run docs:rules` writes the list of rules, and a page for each rule. The page shows the
 * finding for one of the rule's breaks, and a drawing of the plan.
 */

/** Returns the page of a rule, with a drawing if its example is a plan. */
export async function pageWithExample(rule: Rule): Promise<{
  readonly markdown: string;
  readonly svg: string | undefined;
}> {
  const page = rulePage(rule.id) ?? '';
  const example = await exampleOf(rule);
  const end = '[All rules](../../rules.md)\n';
  if (example === undefined) return { markdown: `${page}\n${end}`, svg: undefined };
  const [, name = ''] = rule.id.split('/');
  const picture = example.svg === undefined ? '' : `![The plan of the reply](${name}.svg)\n\n`;
  const markdown = `${page}\n## An example\n\n\`\`\`text\n${example.text}\n\`\`\`\n\n${picture}${end}`;
  return { markdown, svg: example.svg };
}

type Example = { readonly text: string; readonly svg?: string | undefined };

function exampleOf(rule: Rule): Promise<Example | undefined> | Example | undefined {
  if (rule.level === 'observe') return undefined;
  if (rule.kind === 'reply') return exampleOfReply(rule);
  if (rule.kind === 'settlement') return exampleOfSettlement(rule);
  return exampleOfProbe(rule);
}

function exampleOfReply(rule: ReplyRule): Example | undefined {
  const inputs = (rule.breaks ?? []).map((row) => {
    const { change, around } = partsOf(row);
    const input = brokenReply(correctReplyFor(rule), change, around);
    const failed = CATALOG.filter((each) => (verdictOn(each, input)?.findings.length ?? 0) > 0);
    return { input, failed: failed.length };
  });
  const [best] = inputs.sort((a, b) => a.failed - b.failed);
  if (best === undefined) return undefined;
  const { input } = best;
  const finding = verdictOn(rule, input)?.findings[0];
  if (finding === undefined) throw new Error(`${rule.id}: a break is not detected`);
  const { pointer } = finding;
  const isPlan = input.exchange.endpoint === 'swap' && input.reply.status === 200;
  const plan = isPlan ? sketchPlan(swapBodyIn(input.reply), pointer) : undefined;
  return {
    text: renderFinding(finding, { tokenOf: tokenLookup({ plan }) }),
    svg: plan && planFile(planGraph(plan, pointer)),
  };
}

function exampleOfSettlement(rule: SettlementRule): Example {
  const [[change] = []] = rule.breaks ?? [];
  const finding = change && verdictOnSettlement(rule, change)?.findings[0];
  if (finding === undefined) throw new Error(`${rule.id}: no break is detected`);
  return { text: renderFinding(finding, BY_NAME) };
}

function renderFinding(
  { expected, actual, pointer }: Omit<Finding, 'exchange'>,
  options: TextOptions,
): string {
  const lines = [
    ['Expected', formatStatement(expected, options)],
    ['Actual', formatStatement(actual, options)],
    ['Where', pointer === '' ? 'the whole body' : pointer],
  ].flatMap(([label = '', text]) =>
    text === undefined ? [] : [`${`${label}:`.padEnd(10)}${text}`],
  );
  return lines.join('\n');
}

async function exampleOfProbe(rule: ProbeRule): Promise<Example | undefined> {
  const [row] = rule.breaks ?? [];
  if (row === undefined) return undefined;
  const verdict = await runProbe(rule, brokenSession(row));
  const [finding] = verdict.kind === 'judged' ? verdict.findings : [];
  if (finding === undefined) throw new Error(`${rule.id}: a break is not detected`);
  return { text: renderFinding(finding, {}) };
}

async function writePages(folder: URL): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  for (const rule of CATALOG) {
    const { markdown, svg } = await pageWithExample(rule);
    const file = new URL(`${rule.id}.md`, folder);
    mkdirSync(dirname(file.pathname), { recursive: true });
    writeFileSync(file, markdown);
    if (svg !== undefined) writeFileSync(new URL(`${rule.id}.svg`, folder), svg);
  }
  writeFileSync(new URL('../rules.md', folder), printRules('markdown'));
}

if (import.meta.filename === process.argv[1]) {
  await writePages(new URL('../../docs/rules/', import.meta.url));
}
