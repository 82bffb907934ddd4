import { isDeepStrictEqual } from 'node:util';
import { type Static, Type } from '../../conformance/contract/schema.ts';
import type { LoadResult } from '../model/load-result.ts';
import {
  appliesTo,
  type Change,
  COMPARED,
  formatRegressionBound,
  isBeyond,
  isUndecided,
  type RegressionBound,
  smallestDetectable,
} from './change.ts';

const Metric = Type.Enum([...Object.keys(COMPARED), 'errors'] as Change['metric'][]);
const VERDICTS = ['regression', 'improvement', 'unclear', 'noise'] as const;
// Null means unbounded.
const Bound = Type.Union([Type.Number(), Type.Null()]);

const SideSchema = Type.Object({
  target: Type.String(),
  /** Absent if the service was never load-tested. */
  run: Type.Optional(
    Type.Object({
      profile: Type.String(),
      seed: Type.Integer(),
      startedAt: Type.String(),
      version: Type.String(),
      /** Verdict of the run itself. */
      verdict: Type.Enum(['passed', 'failed', 'invalid', 'incomplete']),
      requests: Type.Integer({ minimum: 0 }),
    }),
  ),
});

/**
 * JSON of a comparison of two load results. Its JSON Schema is in `docs/comparison.schema.json`.
 */
export const LoadComparisonSchema = Type.Object({
  kind: Type.Literal('load-comparison'),
  /** `failed`: a regression beyond a bound; `incomplete`: some bound could not be judged. */
  verdict: Type.Enum(['passed', 'failed', 'incomplete']),
  reason: Type.String(),
  /** `two-runs` compares two runs; `paired-rounds` compares two services that take turns. */
  method: Type.Enum(['two-runs', 'paired-rounds']),
  base: SideSchema,
  head: SideSchema,
  bounds: Type.Array(
    Type.Object({ metric: Metric, endpoint: Type.Optional(Type.String()), max: Type.Number() }),
  ),
  /** Differences between the two runs other than the service. */
  differences: Type.Array(Type.String()),
  /**
   * Changes beyond a bound come first, then other regressions, improvements, unclear changes and
   * noise.
   */
  changes: Type.Array(
    Type.Object({
      endpoint: Type.String(),
      metric: Metric,
      /** Milliseconds, or a share of errors. */
      base: Type.Number(),
      head: Type.Number(),
      /**
       * Fraction of the base (0.1 is a tenth slower); for errors, the difference between the
       * shares.
       */
      change: Bound,
      /** Lower and upper end. */
      interval: Type.Array(Bound, { minItems: 2, maxItems: 2 }),
      verdict: Type.Enum([...VERDICTS]),
      isBeyondBound: Type.Boolean(),
    }),
  ),
});
export type LoadComparison = Static<typeof LoadComparisonSchema>;

/** A run, or the URL of a service that was never load-tested. */
export type RunOfSide = LoadResult | { readonly target: string };

type Compared = {
  readonly method: LoadComparison['method'];
  readonly base: RunOfSide;
  readonly head: RunOfSide;
  readonly changes: readonly Change[];
  readonly bounds: readonly RegressionBound[];
  /** Reason why the runs cannot be compared, if any. */
  readonly flaw?: string;
};

/**
 * Returns the comparison with its verdict. Only complete runs in which the client kept its schedule
 * can be compared. A bound holds only if it lies outside the interval of every change to which it
 * applies.
 */
export function concludeComparison(compared: Compared): LoadComparison {
  const { method, base, head, changes, bounds } = compared;
  return {
    kind: 'load-comparison',
    ...verdictOn(compared),
    method,
    base: sideOf(base),
    head: sideOf(head),
    bounds: [...bounds],
    differences: 'kind' in base && 'kind' in head ? setupDifferences(base, head) : [],
    changes: changes
      .map((change) => ({
        ...change,
        change: finite(change.change),
        interval: [finite(change.interval[0]), finite(change.interval[1])],
        isBeyondBound: isBeyond(change, bounds),
      }))
      .sort((a, b) => rankOf(a) - rankOf(b)),
  };
}

type ChangeResult = LoadComparison['changes'][number];

function rankOf({ isBeyondBound, verdict }: ChangeResult): number {
  return isBeyondBound ? -1 : VERDICTS.indexOf(verdict);
}

/** Returns one sentence for each change that leaves a bound undecided. */
export function describeUndecided({
  changes,
  bounds,
}: Pick<Compared, 'changes' | 'bounds'>): readonly string[] {
  return bounds.flatMap((bound) =>
    changes
      .filter((change) => isUndecided(change, bound))
      .map((change) => {
        const { metric, endpoint, interval } = change;
        const show = (value: number) => formatShift({ metric, change: finite(value) });
        const [low, high] = interval.map(show);
        const seen = smallestDetectable(change, bound);
        const smallest = seen < NO_BOUND ? show(seen) : 'none';
        return `${formatRegressionBound(bound)} is unclear: ${metric} of ${endpoint} is between ${low} and ${high}; the smallest detectable change is ${smallest}`;
      }),
  );
}

function verdictOn(compared: Compared): Pick<LoadComparison, 'verdict' | 'reason'> {
  const { base, head, changes, bounds } = compared;
  const incomplete = (reason: string) => ({ verdict: 'incomplete' as const, reason });
  const named = (some: readonly RegressionBound[]) => some.map(formatRegressionBound).join(', ');
  const flaw = compared.flaw ?? flawOf('base', base) ?? flawOf('head', head);
  if (flaw !== undefined) return incomplete(flaw);
  const beyond = changes.filter((change) => isBeyond(change, bounds));
  if (beyond.length > 0) {
    const crossed = bounds.filter((bound) => beyond.some((change) => isBeyond(change, [bound])));
    const shifts = beyond.map((each) => `${each.metric} of ${each.endpoint} ${formatShift(each)}`);
    return { verdict: 'failed', reason: `beyond ${named(crossed)}: ${shifts.join(', ')}` };
  }
  const unjudged = bounds.filter((bound) =>
    changes.every((change) => !appliesTo(change, bound) || change.verdict === 'unclear'),
  );
  if (unjudged.length > 0) {
    return incomplete(`${named(unjudged)} could not be judged: too few requests in both runs`);
  }
  const undecided = describeUndecided(compared);
  if (undecided.length > 0) {
    const more = undecided.length > 3 ? `; and ${undecided.length - 3} more` : '';
    return incomplete(`${undecided.slice(0, 3).join('; ')}${more}`);
  }
  return { verdict: 'passed', reason: `no regression beyond ${named(bounds)}` };
}

/** Returns whether a run's metrics cannot be used. */
export function isUnusable({ verdict }: Pick<LoadResult, 'verdict'>): boolean {
  return verdict === 'invalid' || verdict === 'incomplete';
}

function flawOf(side: 'base' | 'head', run: RunOfSide): string | undefined {
  if (!('kind' in run)) return `the ${side} was never load-tested`;
  return isUnusable(run) ? `the ${side} is ${run.verdict}: ${run.reason}` : undefined;
}

function sideOf(result: RunOfSide): LoadComparison['base'] {
  const { target } = result;
  if (!('kind' in result)) return { target };
  const { profile, seed, startedAt, version, verdict, endpoints } = result;
  const requests = endpoints[0]?.requests ?? 0;
  return { target, run: { profile: profile.name, seed, startedAt, version, verdict, requests } };
}

/**
 * Returns a change as text, with its sign. Changes in a share of errors are in percentage points.
 *
 * @example
 * formatShift({ metric: 'p99', change: 0.2 }) // '+20.0%'
 */
export function formatShift({ metric, change }: Pick<ChangeResult, 'metric' | 'change'>): string {
  if (change === null || change >= NO_BOUND) return 'any';
  const unit = metric === 'errors' ? ' pts' : '%';
  return `${change < 0 ? '-' : '+'}${(Math.abs(change) * 100).toFixed(1)}${unit}`;
}

/** With few rounds, the ends of an interval may be huge. Larger ends are shown as unbounded. */
const NO_BOUND = 10_000;

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function setupDifferences(base: LoadResult, head: LoadResult): string[] {
  const fields = COMPARED_FIELDS.filter(
    (name) => !isDeepStrictEqual(base.profile[name], head.profile[name]),
  );
  const pairs = [
    ['seed', base.seed, head.seed],
    ['version of swapcheck', base.version, head.version],
    ['number of cores', base.client.cores, head.client.cores],
    ['version of node', base.client.node, head.client.node],
  ] as const;
  return [
    ...(fields.length === 0 ? [] : [`the profiles differ in ${fields.join(', ')}`]),
    ...pairs.flatMap(([name, one, other]) =>
      one === other ? [] : [`the ${name} is ${one} in the base and ${other} in the head`],
    ),
    ...requestedOnlyIn('base', base, head),
    ...requestedOnlyIn('head', head, base),
  ];
}

// A profile's name, description and thresholds do not affect any metric.
const COMPARED_FIELDS = [
  'workload',
  'connections',
  'processes',
  'timeoutMs',
  'warmUpS',
  'mix',
] as const;

function requestedOnlyIn(side: string, one: LoadResult, other: LoadResult): string[] {
  const others = other.endpoints.map(({ name }) => name);
  const unmatched = one.endpoints.map(({ name }) => name).filter((name) => !others.includes(name));
  return unmatched.length === 0 ? [] : [`only requested in the ${side}: ${unmatched.join(', ')}`];
}
