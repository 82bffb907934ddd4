import { counted } from '../contract/counted.ts';
import { firstOf } from '../contract/first-of.ts';
import type { RuleResult } from '../model/report.ts';
import {
  type Block,
  type Item,
  type List,
  listOf,
  type Part,
  type Span,
} from '../output/document.ts';
import { failureParts, formatTimes } from './failure-parts.ts';
import { explanation, placeView, replyView } from './html/failure-views.ts';
import { moneyFigure, planFigure } from './html/plan-figure.ts';
import { causeTitle, describeConsequences, type RootCause, usualMistake } from './root-causes.ts';
import { explainCommand } from './rule-page.ts';

/** Maximum number of rules that a finding names. */
const MAX_RULES = 8;
/** Maximum number of causes. The JSON report has the others. */
const MAX_CAUSES = 300;
/** Maximum number of causes with a drawing, because drawings are large. */
const MAX_DRAWN = 60;

/** Returns the cause to fix first, in a few lines; nothing if each failure is waived. */
export function fixFirst([cause]: readonly RootCause[]): Block[] {
  if (cause === undefined || cause.isWaived) return [];
  const [rule, ...others] = cause.rules;
  const example = exampleParts(cause);
  const further = [
    ...(others.length === 0
      ? []
      : [`${counted(others.length, 'other rule')} failed in the same way`]),
    describeConsequences(cause) ?? [],
  ].flat();
  const name: Span = { text: `Fix first: ${rule?.id ?? ''}`, isBold: true };
  return [
    { kind: 'line', line: [name, `: ${rule?.title ?? ''}`] },
    {
      kind: 'parts',
      parts: [
        ...['Cause', 'Expected', 'Actual'].flatMap((name) =>
          example.filter(([label]) => label === name),
        ),
        ...mistakeParts(cause),
      ],
    },
    ...(further.length === 0 ? [] : [{ kind: 'line', line: further.join('; ') } as const]),
  ];
}

function mistakeParts(cause: RootCause): Part[] {
  const mistake = usualMistake(cause);
  return mistake === undefined ? [] : [['Usual mistake', mistake]];
}

/** Returns a finding for each root cause. */
export function findings(causes: readonly RootCause[]): Block[] {
  const all = causes.map((cause, at): Block => finding(cause, at));
  return firstOf(all, MAX_CAUSES, (more) => ({
    kind: 'line',
    line: `${counted(more, 'more cause is', 'more causes are')} in the JSON report.`,
  }));
}

function finding(cause: RootCause, at: number): Block {
  const { rules, count, isWaived, variants } = cause;
  const [rule, ...others] = rules;
  return {
    kind: 'finding',
    heading: [{ mark: isWaived ? 'waived' : 'failed' }, ` ${causeTitle(cause)}`],
    note: `seen ${formatTimes(count)}`,
    attributes: {
      id: anchorOf(at),
      'data-rules': ruleIdsOf(cause).join(' '),
      'data-level': isWaived ? 'waived' : (rule?.level ?? ''),
      ...(at === 0 && { open: '' }),
    },
    about: others.length > 0 ? ruleLines(rules) : [clauseLine(rule)],
    example: [
      ...exampleParts(cause, at < MAX_DRAWN),
      ...mistakeParts(cause),
      ...(rule ? explainParts(rule) : []),
    ],
    variants,
    consequences: consequenceList(cause),
  };
}

function explainParts(rule: RuleResult): Part[] {
  const command = explainCommand(rule);
  if (command === undefined) return [];
  return [['Explain', { draw: () => explanation(rule, command), text: code(command) }]];
}

function anchorOf(at: number): string {
  return `cause-${at + 1}`;
}

/** Returns the ids of the rules that a cause breaks or may explain. */
export function ruleIdsOf({ rules, consequences }: RootCause): readonly string[] {
  return [...new Set([...rules, ...consequences.map(({ rule }) => rule)].map(({ id }) => id))];
}

/**
 * Maps each failed rule's id to the finding that shows the rule. A finding that lists the rule only
 * as a consequence counts if there is no other.
 */
export function anchorsOf(causes: readonly RootCause[]): ReadonlyMap<string, string> {
  const shown = causes.slice(0, MAX_CAUSES).toReversed();
  const links = (idsOf: (cause: RootCause) => readonly string[]) =>
    shown.flatMap((cause, at) =>
      idsOf(cause).map((id) => [id, anchorOf(shown.length - 1 - at)] as const),
    );
  return new Map([...links(ruleIdsOf), ...links(({ rules }) => rules.map(({ id }) => id))]);
}

/** @example clauseLine(rule) // '2.3 decimals: Decimal places, 0 to 18' */
function clauseLine(rule: RuleResult | undefined): string {
  if (rule === undefined) return '';
  const { clause, clauseWords } = rule;
  return clauseWords === undefined ? clause : `${clause}: ${clauseWords}`;
}

/** @example 'swap/buy-token [must]: rejects a `buyToken` that is missing or no address' */
function ruleLines(rules: readonly RuleResult[]): string[] {
  const lines = rules.map(({ id, level, title }) => `${id} [${level}]: ${title}`);
  return firstOf(lines, MAX_RULES, (more) => `and ${more} more`);
}

/** Returns the rules whose failures may follow from a cause, or undefined if there are none. */
function consequenceList(cause: RootCause): List | undefined {
  const items = cause.consequences.map(({ rule, failures }): Item => {
    const [first] = failures;
    const times = failures.reduce((sum, { count }) => sum + count, 0);
    return {
      line: `${rule.id} [${rule.level}, ${counted(times, 'time')}]: ${first?.actual ?? ''}`,
    };
  });
  const shown = firstOf(items, MAX_RULES, (more) => ({ line: `and ${more} more` }));
  return listOf(shown, describeConsequences(cause))[0];
}

function code(text: string): Span {
  return { text, isCode: true };
}

function exampleParts({ example, count }: RootCause, isDrawn = false): Part[] {
  const { plan, money, pointer } = example;
  return failureParts(example, count).flatMap(([label, text]): Part[] => {
    switch (label) {
      case 'Expected':
        return [[label, { text, tint: 'good' }]];
      case 'Actual':
        return [
          [label, { text, tint: 'bad' }],
          ...(plan && isDrawn
            ? [['Plan', { draw: () => planFigure(plan, pointer) }] as const]
            : []),
          ...(money?.length ? [['Payments', { draw: () => moneyFigure(money) }] as const] : []),
        ];
      case 'Where':
        return [[label, { draw: () => placeView(example, text), text }]];
      case 'Reply':
        return [[label, { draw: () => replyView(example), text: code(text) }]];
      case 'Evidence':
        return [[label, [{ text, href: text }, ': pass it to `swapcheck replay`']]];
      case 'Repeat':
        return [[label, { shell: text }]];
      default:
        return [[label, text]];
    }
  });
}
