import type { Report, RuleResult } from '../model/report.ts';

/**
 * Returns the coverage of a run: its share of the usual requests and of the listed pairs, and the
 * number of settled plans.
 */
export function coverageNotes({ breadth, pairs, rules }: Report): string[] {
  const percent = (share: number) => `${Math.floor(share * 100)} %`;
  return [
    ...(breadth === undefined
      ? []
      : [
          `Scaled down to end in time: some probes sent ${percent(breadth.least)} of their usual requests, at ${breadth.msPerRequest} ms per request`,
        ]),
    ...(pairs === undefined
      ? []
      : [
          `Pairs with a reply: ${pairs.asked} of ${pairs.listed} ordered pairs of listed tokens (${percent(pairs.asked / pairs.listed)})`,
        ]),
    ...settledNote(rules),
  ];
}

function settledNote(rules: readonly RuleResult[]): string[] {
  const { checks = 0, failures = [] } = rules.find(({ id }) => id === 'execution/settles') ?? {};
  const reverted = failures.reduce((sum, { count }) => sum + count, 0);
  return checks === 0 ? [] : [`Plans settled on forks: ${checks - reverted} of ${checks}`];
}
