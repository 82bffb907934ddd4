import type { Report } from '../model/report.ts';

/** Returns a sentence for each way in which a run was narrower than its rules: too slow a service, pairs not asked for, nodes that lacked what plans read. */
export function narrownessOf({ breadth, pairs, remarks = [] }: Report): string[] {
  const percent = (share: number) => `${Math.floor(share * 100)} %`;
  return [
    ...remarks,
    ...(breadth === undefined
      ? []
      : [
          `Scaled down to end in time: a probe sent as little as ${percent(breadth.least)} of its usual requests, at ${breadth.msPerRequest} ms a request`,
        ]),
    ...(pairs === undefined
      ? []
      : [
          `Pairs asked: ${pairs.asked} of ${pairs.listed} ordered pairs of listed tokens (${percent(pairs.asked / pairs.listed)})`,
        ]),
  ];
}
