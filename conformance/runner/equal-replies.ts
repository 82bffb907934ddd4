import { createHash } from 'node:crypto';
import { addressKey } from '../checks/hex.ts';
import { isObject } from '../checks/reply-body.ts';
import type { Exchange } from '../client/exchange.ts';
import { isNative } from '../contract/names.ts';
import type { Failure } from '../model/report.ts';

/**
 * Parameters that a correct reply depends on, so that equal replies to different values show that
 * the service ignores one of them. Equal plans with and without market makers, or for two users, are
 * correct.
 */
const DECISIVE: ReadonlySet<string> = new Set([
  ...['chainId', 'sellToken', 'buyToken', 'sellAmount', 'buyAmount'],
  ...['router', 'includeCalldata', 'recipientAddress', 'slippageTolerance'],
]);

const MAX_STORED = 50_000;
/** Maximum number of different requests to store for one reply. */
const MAX_PER_REPLY = 64;

/** The meaning of a request: its parameters, with one notation for each value. */
type Meaning = ReadonlyMap<string, string>;

type Stored = {
  readonly id: number;
  readonly target: string;
  readonly meaning: Meaning;
  /** Keys of the reply: its whole body, and its calldata. */
  readonly keys: readonly (readonly [part: Part, key: string])[];
  /** The smaller amount of the plan, which bounds the effect of a tolerance. */
  readonly amount: number;
};

type Part = 'reply' | 'calldata';

/**
 * Finds replies that belong to another request: those equal to the reply of an earlier request that
 * means something else. Caches whose key lacks a parameter return such replies.
 */
export class EqualReplies {
  readonly #byId = new Map<number, Stored>();
  readonly #byKey = new Map<string, Stored[]>();

  /** Stores a reply with a plan, or with the details or tokens of a chain. */
  add(exchange: Exchange): void {
    if (this.#byId.size >= MAX_STORED) return;
    const { id, target, endpoint, outcome } = exchange;
    if (outcome.kind !== 'reply' || outcome.status !== 200 || endpoint === undefined) return;
    const body = outcome.document.kind === 'json' ? outcome.document.value : undefined;
    const isEmpty = Array.isArray(body) ? body.length === 0 : !isObject(body);
    if (endpoint === 'chains' || isEmpty) return;
    const calldata = isObject(body) ? body['calldata'] : undefined;
    const hasCalldata = endpoint === 'swap' && typeof calldata === 'string' && calldata.length > 10;
    const keys: Stored['keys'] = [
      ['reply', hash(outcome.text)],
      ...(hasCalldata ? [['calldata', hash(calldata)] as const] : []),
    ];
    const amounts = ['sell', 'buy'].map((side) =>
      amountOf(isObject(body) ? body[side] : undefined),
    );
    const meaning = meaningOf(exchange);
    const stored = { id, target, meaning, keys, amount: Math.min(...amounts) };
    this.#byId.set(id, stored);
    for (const [, key] of keys) {
      const known = this.#byKey.get(key) ?? [];
      if (known.length === 0) this.#byKey.set(key, known);
      if (known.length >= MAX_PER_REPLY) continue;
      if (known.every((each) => differingNames(each.meaning, meaning).length > 0)) {
        known.push(stored);
      }
    }
  }

  /**
   * Returns the earlier request to which the reply of an exchange belongs, if exactly one parameter
   * that matters differs.
   *
   * @param clause - Clause of the failed rule. Its parameter matters too.
   */
  find(id: number, clause: string): Failure['belongsTo'] {
    const reply = this.#byId.get(id);
    if (reply === undefined) return undefined;
    const named = clause.replace(/^4\.1 /, '');
    for (const [part, key] of reply.keys) {
      const [closest] = (this.#byKey.get(key) ?? [])
        .filter((other) => other.id < id)
        .map((other) => ({ other, ignored: differingNames(other.meaning, reply.meaning) }))
        .filter(({ other, ignored }) => {
          const decisive = ignored.filter(
            (name) => name === named || (DECISIVE.has(name) && isFelt(name, other, reply)),
          );
          return decisive.length === 1;
        })
        .sort((a, b) => a.ignored.length - b.ignored.length);
      if (closest === undefined) continue;
      const { other, ignored } = closest;
      return { part, exchange: other.id, target: other.target, ignored: [...ignored] };
    }
    return undefined;
  }
}

/** The limit of a trade of few base units is the same for several tolerances. */
function isFelt(name: string, one: Stored, other: Stored): boolean {
  if (name !== 'slippageTolerance') return true;
  const [first, second] = [one, other].map(({ meaning }) => Number(meaning.get(name)));
  return Math.abs((first ?? 0) - (second ?? 0)) * other.amount >= 2;
}

function differingNames(one: Meaning, other: Meaning): readonly string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => one.get(name) !== other.get(name));
}

function meaningOf({ endpoint, query }: Exchange): Meaning {
  const given = new Map(query.filter(([name]) => name !== 'apiKey'));
  if (endpoint !== 'swap') return new Map([['chainId', given.get('chainId') ?? '']]);
  const hasCalldata = given.get('includeCalldata') === 'true';
  const user = addressKey(given.get('userAddress') ?? '');
  const text = (name: string, unset = '') => given.get(name) ?? unset;
  return new Map([
    ['chainId', text('chainId')],
    ['sellToken', assetKey(text('sellToken'))],
    ['buyToken', assetKey(text('buyToken'))],
    ['sellAmount', text('sellAmount').replace(/^0+(?=\d)/, '')],
    ['buyAmount', text('buyAmount').replace(/^0+(?=\d)/, '')],
    ['router', text('router', 'default-router')],
    ['useRfq', text('useRfq', 'false')],
    ['includeCalldata', String(hasCalldata)],
    ...(hasCalldata
      ? ([
          ['userAddress', user],
          // Without a recipient, the sender receives the bought token.
          ['recipientAddress', addressKey(text('recipientAddress')) || user],
          ['slippageTolerance', String(Number(text('slippageTolerance')))],
        ] as const)
      : []),
  ]);
}

function assetKey(address: string): string {
  return isNative(address) ? 'native' : addressKey(address);
}

function amountOf(side: unknown): number {
  return isObject(side) ? Number(side['amount']) : Number.NaN;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
