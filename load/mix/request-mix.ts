import { createRandom, drawByRank } from '../../conformance/model/random.ts';

/**
 * Requests for one service: targets from discovery, with a gap for the amount. A mix is plain data
 * without the API key, so that files can store it and other engines can run it. The key is appended
 * to each target.
 */
export type RequestMix = {
  readonly seed: number;
  readonly kinds: readonly RequestKind[];
};

/** One kind of request, with its weight and the targets from which it is drawn. */
export type RequestKind = {
  /** Name of the kind's metrics, such as `swap calldata`. */
  readonly endpoint: string;
  readonly weight: number;
  readonly expect: LoadRequest['expect'];
  /** The most common target comes first. */
  readonly templates: readonly TargetTemplate[];
  /**
   * `by-rank`: the n-th template is requested 1/n as often as the first, as pairs are in practice.
   * Default: `evenly`.
   */
  readonly draw?: 'evenly' | 'by-rank';
};

/**
 * Target without its API key: either complete, or in two parts around an amount, which is drawn
 * log-uniformly between two powers of ten.
 */
export type TargetTemplate =
  | { readonly target: string }
  | {
      readonly before: string;
      /** Base-10 logarithms of the smallest and the largest amount in base units. */
      readonly amountLog10: readonly [smallest: number, largest: number];
      readonly after: string;
    };

/**
 * Returns a function that returns a request of the mix by its number, with `apiKey` at the end. A
 * request depends only on the seed and its number.
 */
export function createRequestSource({ kinds, seed }: RequestMix, apiKey: string): RequestSource {
  const key = encodeURIComponent(apiKey);
  const totalWeight = kinds.reduce((sum, { weight }) => sum + weight, 0);
  if (kinds.length === 0 || !(totalWeight > 0)) throw new EmptyMixError();
  return (number) => {
    const random = createRandom(deriveSeed(seed, number));
    let weight = random() * totalWeight;
    let kind = kinds[0] as RequestKind;
    for (kind of kinds) {
      weight -= kind.weight;
      if (weight < 0) break;
    }
    const { templates, draw } = kind;
    const point = random();
    const template =
      draw === 'by-rank'
        ? drawByRank(templates, point)
        : templates[Math.floor(point * templates.length)];
    if (template === undefined) throw new EmptyMixError();
    return {
      endpoint: kind.endpoint,
      expect: kind.expect,
      target:
        'target' in template
          ? template.target + key
          : template.before + drawAmount(template.amountLog10, random()) + template.after + key,
    };
  };
}

/**
 * Returns a whole number between two powers of ten as decimal digits. `point`, from 0 to 1, selects
 * the number on a logarithmic scale.
 * @example
 * drawAmount([0, 20], 0.5) // '10000000000'
 */
export function drawAmount([smallest, largest]: readonly [number, number], point: number): string {
  const log10 = Math.max(0, smallest + (largest - smallest) * point);
  const digitsBefore = Math.floor(log10);
  const mantissa = Math.floor(10 ** (log10 - digitsBefore + 14) + 0.5)
    .toString()
    .slice(0, 15);
  return digitsBefore >= 14
    ? mantissa + '0'.repeat(digitsBefore - 14)
    : mantissa.slice(0, digitsBefore + 1);
}

/** Neighboring numbers must have unrelated seeds. */
function deriveSeed(seed: number, number: number): number {
  return Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
}

/** Thrown for a mix without a request. */
export class EmptyMixError extends Error {
  override readonly name = 'EmptyMixError';

  constructor() {
    super('the mix has no request that this service supports');
  }
}

/** One request of a mix, ready to be sent. */
export type LoadRequest = {
  /** Name of the request's metrics, such as `swap`, `swap calldata` or `tokens`. */
  readonly endpoint: string;
  /** Percent-encoded path and query, including the key. */
  readonly target: string;
  /** Expected outcome: `rejection` (status 400) for a request that is broken on purpose. */
  readonly expect: 'success' | 'rejection';
};

/**
 * Returns request `number` of a run, counted from 0. The request is the same in every process, and
 * in every run with the same seed.
 */
export type RequestSource = (number: number) => LoadRequest;

/**
 * Returns whether a status is the expected one: 400 for a request that is broken on purpose, else
 * 200.
 */
export function isExpected({ expect }: LoadRequest, status: number): boolean {
  return status === (expect === 'rejection' ? 400 : 200);
}
