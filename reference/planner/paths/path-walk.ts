import type { Hop } from '../graph/hop.ts';
import type { Path } from '../graph/path.ts';
import type { Segment } from '../pools/segment.ts';

/** What one path does with an amount: floats, in base units. */
export type Walked = {
  readonly amount: number;
  /** Whether the pools take, or give, the whole. */
  readonly isWhole: boolean;
};

/** Returns what a path gives for `input`, or for as much of it as it takes, pool by pool. */
export function outputThrough({ hops }: Path, input: number): Walked {
  let amount = input;
  let isWhole = true;
  for (const { segments } of hops) {
    let left = amount;
    let output = 0;
    for (const segment of segments) {
      const grown = left / segment.depthIn;
      const most = Math.expm1(segment.span);
      output += givenBy(segment, Math.min(grown, most));
      left = grown > most ? left - segment.depthIn * most : 0;
      if (left === 0) break;
    }
    if (left > 0) isWhole = false;
    amount = output;
  }
  return { amount, isWhole };
}

/** Returns what a pool gives for `input`; 0 if it takes less. */
export function throughHop({ ladder }: Hop, input: number): number {
  const { depthIn, depthOut, inputBefore, outputBefore } = ladder;
  const tail = depthIn.length - 1;
  if (input > (inputBefore[tail] ?? 0)) return 0;
  let segment = 0;
  while (segment + 1 < tail && (inputBefore[segment + 1] ?? 0) < input) segment++;
  const grown = (input - (inputBefore[segment] ?? 0)) / (depthIn[segment] ?? 0);
  return (outputBefore[segment] ?? 0) + ((depthOut[segment] ?? 0) * grown) / (1 + grown);
}

/** Returns what a path takes for `output`, pool by pool from the last. */
export function inputThrough({ hops }: Path, output: number): Walked {
  let amount = output;
  for (const { segments } of hops.toReversed()) {
    let left = amount;
    let input = 0;
    for (const segment of segments) {
      const most = -segment.depthOut * Math.expm1(-segment.span);
      const given = Math.min(left, most);
      input += (segment.depthIn * given) / (segment.depthOut - given);
      left -= given;
      if (left === 0) break;
    }
    if (left > 0) return { amount: Number.POSITIVE_INFINITY, isWhole: false };
    amount = input;
  }
  return { amount, isWhole: true };
}

function givenBy({ depthOut }: Segment, grown: number): number {
  return grown === Number.POSITIVE_INFINITY ? depthOut : (depthOut * grown) / (1 + grown);
}
