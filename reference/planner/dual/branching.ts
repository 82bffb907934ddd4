import { type Branch, type Ceiling, type IsBeaten, rivalsThrough } from './branch.ts';
import { packCircles } from './circle-bound.ts';
import type { Forbidden } from './flow-limits.ts';
import type { FlowProblem } from './flow-problem.ts';
import { comesBefore, copyOf, isOpen, type Precedence, putBefore, weightAgainst } from './order.ts';

/** Orders of the tokens that agree on some pairs, and what the branch that they are part of tells of them. */
export type Part = Forbidden & {
  readonly ceiling: Ceiling;
  readonly from: Branch;
  /** Nothing that flows in that branch is forbidden here, so its solution is this part's too. */
  readonly isSolved: boolean;
};

/** The parts that are left of a branch, and what no plan in the rest of it betters. */
export type Parting = { readonly parts: readonly Part[]; readonly beaten: readonly Ceiling[] };

/** How much more the order that loses less counts than the other: the part that it leaves is looked into first. */
const LESSER = 5;

/** Parts what is left of a branch, `part`, by the order of two tokens on its circles, or by which of its rivals is used, if any. */
export function partingOf(
  problem: FlowProblem,
  part: Part,
  branch: Branch,
  isBeaten: IsBeaten,
): Parting {
  const { precedence, closed, ceiling } = part;
  if (branch.circling.length > 0) return partingByOrder(part, branch, isBeaten);
  const ways = branch.rivals.map((rival) => rivalsThrough(problem)[rival] ?? []);
  const parts = [...ways, branch.rivals].map((others) => ({
    precedence,
    closed: new Set([...closed, ...others]),
    ceiling,
    from: branch,
    isSolved: false,
  }));
  return { parts, beaten: [] };
}

function partingByOrder(part: Part, branch: Branch, isBeaten: IsBeaten): Parting {
  const { closed } = part;
  const { price, bound } = branch.ceiling;
  const { precedence, beaten } = decided(part, branch, isBeaten);
  const partFor = (ordered: Precedence, isSolved: boolean): Part => {
    const { lost } = packCircles(ordered, branch.gains);
    const left = { price, bound: bound - lost };
    const ceiling = left.bound < part.ceiling.bound ? left : part.ceiling;
    return { precedence: ordered, closed, ceiling, from: branch, isSolved };
  };
  const whole = partFor(precedence, false);
  if (isBeaten(whole.ceiling)) return { parts: [], beaten: [...beaten, whole.ceiling] };
  const isUnchanged = beaten.length === 0;
  const pair = widestPair(branch, precedence);
  // What is beaten may decide all pairs.
  if (pair === undefined) return { parts: [whole], beaten };
  const parts = [pair, pair.toReversed()].map(([first = 0, then = 0]) => {
    const isFree = weightAgainst(precedence, branch.gains, first, then) === 0;
    const ordered = copyOf(precedence);
    putBefore(ordered, first, then);
    const isKept = branch.circling.every(({ tail, head }) => !comesBefore(ordered, head, tail));
    return partFor(ordered, isUnchanged && isFree && isKept);
  });
  return { parts, beaten };
}

/** Decides the pairs of tokens of which the one order loses so much that a known plan beats it. */
function decided(
  { precedence }: Part,
  { ceiling: { bound, price }, gains }: Branch,
  isBeaten: IsBeaten,
): { readonly precedence: Precedence; readonly beaten: readonly Ceiling[] } {
  const ordered = copyOf(precedence);
  const { size } = ordered;
  const beaten: Ceiling[] = [];
  for (let before = -1; before < beaten.length; ) {
    before = beaten.length;
    const { lost, left } = packCircles(ordered, gains);
    for (const [link, weight] of left.entries()) {
      const [tail, head] = [Math.floor(link / size), link % size];
      if (weight === 0 || !isOpen(ordered, tail, head)) continue;
      const against = bound - lost - weightAgainst(ordered, left, head, tail);
      const ceiling = { bound: against, price };
      if (!isBeaten(ceiling)) continue;
      beaten.push(ceiling);
      putBefore(ordered, tail, head);
    }
  }
  return { precedence: ordered, beaten };
}

/** Returns the two tokens next to one another on a circle of which either order loses most. */
function widestPair(
  { circling, gains }: Branch,
  precedence: Precedence,
): readonly number[] | undefined {
  let widest: readonly number[] | undefined;
  let most = -1;
  for (const { tail, head } of circling) {
    if (!isOpen(precedence, tail, head)) continue;
    const losses = [
      weightAgainst(precedence, gains, tail, head),
      weightAgainst(precedence, gains, head, tail),
    ];
    const score = LESSER * Math.min(...losses) + Math.max(...losses);
    if (score > most) [widest, most] = [[tail, head], score];
  }
  return widest;
}
