import { at } from '../domain/at.ts';
import type { Arc } from '../graph/arc.ts';
import type { Segment } from '../pools/segment.ts';
import type { Path } from './path.ts';

/** Amount at one end of a path, given an amount at the other end. A float, in base units. */
type PathAmount = {
  readonly amount: number;
  /** True if the pools can take or give the whole amount. */
  readonly isWhole: boolean;
};

/**
 * Returns the output for `input`. If the pools cannot take the whole input, returns the output for
 * the maximum that they take.
 */
export function outputThrough({ arcs }: Path, input: number): PathAmount {
  let amount = input;
  let isWhole = true;
  for (const { segments } of arcs) {
    let left = amount;
    let output = 0;
    for (const segment of segments) {
      const growth = left / segment.depthIn;
      const maxGrowth = Math.expm1(segment.span);
      output += outputOfSegment(segment, Math.min(growth, maxGrowth));
      left = growth > maxGrowth ? left - segment.depthIn * maxGrowth : 0;
      if (left === 0) break;
    }
    if (left > 0) isWhole = false;
    amount = output;
  }
  return { amount, isWhole };
}

function outputOfSegment({ depthOut }: Segment, growth: number): number {
  return growth === Number.POSITIVE_INFINITY ? depthOut : (depthOut * growth) / (1 + growth);
}

/**
 * Returns the cost of `output`. If the pools cannot give the whole output, returns the cost of the
 * maximum that they give.
 */
export function inputThrough({ arcs }: Path, output: number): PathAmount {
  let amount = output;
  for (const { segments } of arcs.toReversed()) {
    let left = amount;
    let input = 0;
    for (const segment of segments) {
      const maxOutput = -segment.depthOut * Math.expm1(-segment.span);
      const given = Math.min(left, maxOutput);
      input += (segment.depthIn * given) / (segment.depthOut - given);
      left -= given;
      if (left === 0) break;
    }
    if (left > 0) return { amount: Number.POSITIVE_INFINITY, isWhole: false };
    amount = input;
  }
  return { amount, isWhole: true };
}

/** Returns an arc's output for `input`; 0 if its pool takes less. */
export function throughArc({ columns }: Arc, input: number): number {
  const { depthIn, depthOut, inputBefore, outputBefore } = columns;
  const tail = depthIn.length - 1;
  if (input > at(inputBefore, tail)) return 0;
  let segment = 0;
  while (segment + 1 < tail && at(inputBefore, segment + 1) < input) segment++;
  const growth = (input - at(inputBefore, segment)) / at(depthIn, segment);
  return at(outputBefore, segment) + (at(depthOut, segment) * growth) / (1 + growth);
}
