import { hash } from 'node:crypto';
import { addressKey } from '../checks/hex.ts';
import { isObject } from '../checks/reply-body.ts';
import type { Exchange } from '../client/exchange.ts';
import { isNative } from '../contract/names.ts';
import type { Failure } from '../model/report.ts';

/**
 * Parameters that a correct reply depends on, so that equal replies to different values show that
 * the service ignores one of them. Equal plans with and without market makers, or for two users,
 * are correct.
 */
const DECISIVE: ReadonlySet<string> = new Set([
  ...['chainId', 'sellToken', 'buyToken', 'sellAmount', 'buyAmount'],
  ...['router', 'includeCalldata', 'recipientAddress', 'slippageTolerance'],
]);

/**
 * Maximum number of requests to store, at about 1.5 kB each. A thorough run sends fewer. Later
 * replies are not compared.
 */
const MAX_STORED = 20_000;
/** Maximum number of different requests to store for one reply. */
const MAX_PER_REPLY = 64;

const PARAMETERS = [
  ...['chainId', 'sellToken', 'buyToken', 'sellAmount', 'buyAmount', 'router', 'useRfq'],
  ...['includeCalldata', 'userAddress', 'recipientAddress', 'slippageTolerance'],
];

const PARTS = ['reply', 'calldata'] as const;

type Stored = {
  readonly id: number;
  readonly target: string;
  /** The values of `PARAMETERS` as a JSON array, with one notation for each value. */
  readonly meaning: string;
  /** Hash of the whole body. */
  readonly reply: string;
  readonly calldata: string | undefined;
  /** The smaller amount of the plan, which bounds the effect of a tolerance. */
  readonly amount: number;
};

/**
 * Finds replies that belong to another request: those equal to the reply of an earlier request that
 * means something else. Caches whose key lacks a parameter return such replies.
 */
export class EqualReplies {
  readonly #byId = new Map<number, Stored>();
  readonly #byHash = new Map<string, Stored[]>();

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
    const amounts = ['sell', 'buy'].map((side) =>
      amountOf(isObject(body) ? body[side] : undefined),
    );
    const stored: Stored = {
      ...{ id, target, meaning: meaningOf(exchange), amount: Math.min(...amounts) },
      reply: hashOf(outcome.text),
      calldata: hasCalldata ? hashOf(calldata) : undefined,
    };
    this.#byId.set(id, stored);
    for (const part of PARTS) {
      const key = stored[part];
      if (key === undefined) continue;
      const known = this.#byHash.get(key) ?? [];
      if (known.length === 0) this.#byHash.set(key, known);
      if (known.length >= MAX_PER_REPLY) continue;
      if (known.every(({ meaning }) => meaning !== stored.meaning)) known.push(stored);
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
    for (const part of PARTS) {
      const [closest] = (this.#byHash.get(reply[part] ?? '') ?? [])
        .filter((other) => other.id < id)
        .map((other) => ({ other, ignored: differingNames(other, reply) }))
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
  const at = PARAMETERS.indexOf(name);
  const [first, second] = [one, other].map((each) => Number(valuesOf(each)[at]));
  return Math.abs((first ?? 0) - (second ?? 0)) * other.amount >= 2;
}

function differingNames(one: Stored, other: Stored): readonly string[] {
  const [values, others] = [valuesOf(one), valuesOf(other)];
  return PARAMETERS.filter((_, at) => values[at] !== others[at]);
}

function valuesOf({ meaning }: Stored): readonly string[] {
  return JSON.parse(meaning);
}

function meaningOf({ endpoint, query }: Exchange): Stored['meaning'] {
  const given = new Map(query.filter(([name]) => name !== 'apiKey'));
  if (endpoint !== 'swap') return JSON.stringify([given.get('chainId') ?? '']);
  const hasCalldata = given.get('includeCalldata') === 'true';
  const user = addressKey(given.get('userAddress') ?? '');
  const text = (name: string, unset = '') => given.get(name) ?? unset;
  return JSON.stringify([
    text('chainId'),
    ...[text('sellToken'), text('buyToken')].map(assetKey),
    ...[text('sellAmount'), text('buyAmount')].map((each) => each.replace(/^0+(?=\d)/, '')),
    text('router', 'default-router'),
    text('useRfq', 'false'),
    String(hasCalldata),
    // Without a recipient, the sender receives the bought token.
    ...(hasCalldata
      ? [
          ...[user, addressKey(text('recipientAddress')) || user],
          String(Number(text('slippageTolerance'))),
        ]
      : []),
  ]);
}

function assetKey(address: string): string {
  return isNative(address) ? 'native' : addressKey(address);
}

function amountOf(side: unknown): number {
  return isObject(side) ? Number(side['amount']) : Number.NaN;
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64');
}
