import type {
  Invocation,
  Log,
  Message,
  MultiformatMessageString,
  Notification,
  ReportingDescriptor,
  Result,
} from 'sarif';
import type { Failure, Report, RuleResult } from '../model/report.ts';
import { renderPage } from '../output/markdown-text.ts';
import { printable } from '../output/printable.ts';
import { renderJson } from '../output/report-formats.ts';
import { explainCommand, rulePage, rulePageUrl } from './rule-page.ts';
import { reasonOf, withRules } from './rule-results.ts';

const SARIF_LEVEL = { must: 'error', should: 'warning', observe: 'note' } as const;

/**
 * Returns the report as a SARIF 2.1.0 log with one result for each failure. The artifact is the
 * request's path, the logical location is the JSON pointer, and a waived failure is a suppressed
 * result.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function write(report: Report): string {
  const results = report.rules.flatMap((rule, ruleIndex) =>
    rule.failures.map((failure) => sarifResult(rule, ruleIndex, failure)),
  );
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'swapcheck',
            version: report.version,
            rules: report.rules.map(sarifRule),
          },
        },
        invocations: [sarifInvocation(report)],
        results,
        properties: {
          verdict: report.verdict,
          reason: reasonOf(report),
          target: report.target,
          targetName: report.targetName,
          seed: report.seed,
        },
      },
    ],
  };
  return `${renderJson(log)}\n`;
}

function sarifRule(rule: RuleResult): ReportingDescriptor {
  const command = explainCommand(rule);
  const helpUri = rulePageUrl(rule.id);
  return {
    id: rule.id,
    ...(helpUri !== undefined && { helpUri }),
    ...(command !== undefined && { help: helpOf(rule, command) }),
    shortDescription: { text: printable(rule.title) },
    fullDescription: {
      text: printable(rule.clauseWords ?? rule.title),
    },
    defaultConfiguration: { level: SARIF_LEVEL[rule.level] },
    properties: { clause: rule.clause, level: rule.level, tags: [rule.level, rule.clause] },
  };
}

/**
 * Includes the page of a rule only if the rule has results: all pages together take half a
 * megabyte.
 */
function helpOf({ id, failures }: RuleResult, command: string): MultiformatMessageString {
  const markdown = failures.length > 0 ? rulePage(id) : undefined;
  if (markdown === undefined) return { text: command, markdown: `\`${command}\`` };
  const style = { color: false, width: 100, locate: (link: string) => link };
  return { text: renderPage(markdown, style), markdown };
}

function sarifResult(rule: RuleResult, ruleIndex: number, failure: Failure): Result {
  const { exchange, pointer, waiver } = failure;
  const [expected, actual] = [printable(failure.expected), printable(failure.actual)];
  return {
    ruleId: rule.id,
    ruleIndex,
    level: SARIF_LEVEL[rule.level],
    message: message(
      `${rule.clause}: expected ${expected}, got ${actual}. Repeat: ${failure.curl}`,
    ),
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: new URL(exchange.target, 'http://service').pathname.slice(1) },
          region: { startLine: 1 },
        },
        ...(pointer !== undefined && {
          logicalLocations: [{ fullyQualifiedName: pointer, kind: 'element' }],
        }),
      },
    ],
    occurrenceCount: failure.count,
    partialFingerprints: { 'swapcheck/v4': printable(failure.cause ?? rule.id, 600) },
    webRequest: { protocol: 'HTTP', method: exchange.method, target: exchange.target },
    ...(exchange.status === undefined
      ? { webResponse: { noResponseReceived: true } }
      : {
          webResponse: {
            statusCode: exchange.status,
            body: { text: printable(exchange.excerpt) },
          },
        }),
    ...(waiver !== undefined && {
      suppressions: [
        { kind: 'external', justification: `${printable(waiver.reason)}, until ${waiver.expires}` },
      ],
    }),
  };
}

/**
 * Escapes braces, which would be placeholders (3.11.5), and `](`, which would let a service add a
 * link (3.11.6).
 */
function message(text: string): Message {
  return { text: text.replace(/[{}]/g, '$&$&').replaceAll('](', '] (') };
}

function sarifInvocation(report: Report): Invocation {
  const endedAt = new Date(Date.parse(report.startedAt) + report.durationMs);
  const unrun = report.rules.filter(({ outcome }) => outcome === 'could-not-run');
  return {
    executionSuccessful: report.verdict !== 'incomplete',
    startTimeUtc: report.startedAt,
    endTimeUtc: endedAt.toISOString(),
    toolExecutionNotifications: [
      ...unrun.map(
        ({ id, why, level }): Notification => ({
          level: level === 'must' ? 'error' : 'warning',
          message: message(`${id} could not run: ${printable(why ?? 'no reason given')}`),
          associatedRule: { id },
        }),
      ),
      ...report.notJudged.map(
        (entry): Notification => ({
          level: 'note',
          message: message(`Not judged: ${printable(withRules(entry))}`),
        }),
      ),
    ],
  };
}
