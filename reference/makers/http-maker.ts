import { Ajv2020 } from 'ajv/dist/2020.js';
import { recoverAddress } from 'viem/utils';
import { type Static, Type } from '../../conformance/contract/schema.ts';
import type { Market } from '../market/market.ts';
import { parseAddress } from '../planner/domain/address.ts';
import { ORDER_FIELDS } from '../planner/pools/maker-order.ts';
import { ANYONE, type Maker, QuoteError, type QuoteRequest, type SignedOrder } from './maker.ts';
import { hashOrder } from './sign-order.ts';

/** A market maker reached over HTTP. Messages never show its URL, which may contain a key. */
export type MakerEndpoint = { readonly chainId: number; readonly url: string };

export type HttpMakerOptions = {
  /** Maximum milliseconds until the end of a reply. Default: 500. */
  readonly timeoutMs?: number;
  /**
   * Maximum number of requests in flight. Beyond the maximum, trades are planned without the maker.
   * Default: 64.
   */
  readonly maxInFlight?: number;
  /** Returns Unix milliseconds. Default: `Date.now`. */
  readonly clock?: () => number;
};

/** Minimum time until an order expires, so that a transaction can be mined. */
const MIN_LIFE_S = 60;
const MAX_REPLY_BYTES = 65_536;

const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' });
const positive = Type.String({ pattern: '^[1-9][0-9]{0,37}$' });
const whole = Type.String({ pattern: '^(0|[1-9][0-9]{0,76})$' });
const replySchema = Type.Object({
  orders: Type.Array(
    Type.Object({
      order: Type.Object({
        maker: address,
        taker: address,
        makerToken: address,
        takerToken: address,
        makerAmount: positive,
        takerAmount: positive,
        expiry: whole,
        salt: whole,
      }),
      // r, s, and a v of 27 or 28. With other values of v, the contract recovers no signer.
      signature: Type.String({ pattern: '^0x[0-9a-fA-F]{128}1[bcBC]$' }),
    }),
    { maxItems: 16 },
  ),
});
const isReply = new Ajv2020().compile<Static<typeof replySchema>>(replySchema);

/** Returns the market maker at a URL; `name` identifies it in the log. */
export function httpMaker(
  { chainId, url }: MakerEndpoint,
  name: string,
  { timeoutMs = 500, maxInFlight = 64, clock = Date.now }: HttpMakerOptions = {},
): Maker {
  let inFlight = 0;
  return {
    name,
    chainId,
    quote: async (request, market) => {
      if (inFlight >= maxInFlight) throw new QuoteError('busy');
      inFlight++;
      const reply = await fetchReply(targetOf(url, request, market), timeoutMs).finally(
        () => inFlight--,
      );
      return readOrders(reply, request, market, clock());
    },
  };
}

/**
 * Returns the orders in a maker's reply.
 *
 * @throws {QuoteError} if an order cannot be used for the trade
 */
export async function readOrders(
  reply: unknown,
  request: QuoteRequest,
  market: Market,
  nowMs: number,
): Promise<readonly SignedOrder[]> {
  if (!isReply(reply)) throw new QuoteError('malformed');
  const signed = reply.orders.map(parseSigned);
  for (const one of signed) await checkOrder(one, request, market, nowMs);
  return signed;
}

function targetOf(
  url: string,
  { sellToken, buyToken, swapKind, amount, taker }: QuoteRequest,
  { chainId, makerOrders }: Market,
): URL {
  const target = new URL(url);
  const amountName = swapKind === 'exact-input' ? 'sellAmount' : 'buyAmount';
  const query = { chainId, sellToken, buyToken, [amountName]: amount, taker, makerOrders };
  for (const [key, value] of Object.entries(query)) target.searchParams.set(key, `${value}`);
  return target;
}

async function fetchReply(target: URL, timeoutMs: number): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  let text: string;
  try {
    const response = await fetch(target, { signal, redirect: 'error' });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new QuoteError('rejected');
    }
    text = await readText(response);
  } catch (cause) {
    if (cause instanceof QuoteError) throw cause;
    throw new QuoteError(signal.aborted ? 'too-late' : 'unreachable', cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new QuoteError('malformed', cause);
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_REPLY_BYTES) throw new QuoteError('malformed');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseSigned({
  order,
  signature,
}: Static<typeof replySchema>['orders'][number]): SignedOrder {
  const fields = ORDER_FIELDS.map(({ name, type }) => [
    name,
    type === 'address' ? parseAddress(order[name]) : BigInt(order[name]),
  ]);
  return {
    order: Object.fromEntries(fields),
    signature: signature.toLowerCase() as `0x${string}`,
  };
}

/**
 * @throws {QuoteError} if the order is for another trade, or if `MakerOrders` would reject it
 * within a minute
 */
async function checkOrder(
  { order, signature }: SignedOrder,
  { sellToken, buyToken, taker }: QuoteRequest,
  { chainId, makerOrders, block }: Market,
  nowMs: number,
): Promise<void> {
  const isFor = order.taker === ANYONE || order.taker === taker;
  if (order.takerToken !== sellToken || order.makerToken !== buyToken || !isFor) {
    throw new QuoteError('other-trade');
  }
  const now = Math.max(Math.floor(nowMs / 1000), block.timestamp);
  if (order.expiry < now + MIN_LIFE_S) throw new QuoteError('expired');
  if (makerOrders === undefined) throw new QuoteError('other-trade');
  const hash = hashOrder({ chainId, makerOrders }, order);
  const signer = await recoverAddress({ hash, signature }).catch(() => undefined);
  if (signer?.toLowerCase() !== order.maker) throw new QuoteError('bad-signature');
}
