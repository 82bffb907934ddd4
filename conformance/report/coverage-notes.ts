import type { Report } from '../model/report.ts';

/** Returns the coverage of a run: its share of the usual requests, and of the listed pairs. */
export function coverageNotes({ breadth, pairs }: Report): string[] {
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
  ];
}
