import { amountOf } from '../drawing/amount-text.ts';
import type { Failure, Report } from '../model/report.ts';

/** What is known of a token that a failure speaks of. */
type Token = { readonly symbol?: string | undefined; readonly decimals?: number | undefined };

/** What says in a sentence of a rule of which token an amount is. */
type Naming = { ref?: string; of?: string; before?: string; way?: string };

const ADDRESS = '0x[0-9a-fA-F]{40}';
/** An amount, with its naming. */
const WORDED = new RegExp(
  [
    String.raw`(?<before>"${ADDRESS}" |\b(?:received|bought|paid|sold) )?\b(?<units>\d+)\b(?! base units)`,
    String.raw`(?: of token (?<ref>[^\s,;()]+)| of "?(?<of>${ADDRESS})| (?<way>received|paid|sold)\b)?`,
  ].join(''),
  'g',
);

/**
 * Returns what a failure expected and what came, each amount of a known token
 * in whole tokens too.
 *
 * @example
 * '1500000 of token 2' // becomes '1.5 USDC (1500000 base units) of token 2'
 */
export function expectation(failure: Failure): {
  readonly expected: string;
  readonly actual: string;
} {
  const { expected, actual } = failure;
  return { expected: inBothUnits(expected, failure), actual: inBothUnits(actual, failure) };
}

function inBothUnits(text: string, failure: Failure): string {
  const worded = text.replace(WORDED, (match, ...groups) => {
    const { units, ...naming } = groups.at(-1) as Naming & { units: string };
    const { length } = naming.before ?? '';
    const rest = match.slice(length + units.length);
    return match.slice(0, length) + bothUnits(units, tokenOf(naming, failure)) + rest;
  });
  if (worded !== text) return worded;
  // Where an amount itself is wrong, the text begins with it.
  return text.replace(/^(["]?)(\d+)\1(?=$|,)/, (match, _quote, units) => {
    const token = tokenAtPointer(failure);
    return token === undefined ? match : bothUnits(units, token);
  });
}

function tokenOf({ ref, of, before, way }: Naming, failure: Failure): Token | undefined {
  const { sell, buy } = failure.plan ?? {};
  if (ref !== undefined) return tokenByRef(ref, failure);
  const moved = way ?? /^[a-z]+/.exec(before ?? '')?.[0];
  if (of === undefined && moved !== undefined) {
    return tokenByRef((moved === 'received' || moved === 'bought' ? buy : sell)?.ref, failure);
  }
  return tokenByAddress(of ?? before?.slice(1, -2), failure);
}

function tokenByRef(ref: string | undefined, { plan }: Failure): Token | undefined {
  return ref === undefined ? undefined : plan?.tokens.find((token) => token.ref === ref);
}

function tokenByAddress(address: string | undefined, failure: Failure): Token | undefined {
  const wanted = address?.toLowerCase();
  return (
    failure.plan?.tokens.find((token) => token.address.toLowerCase() === wanted) ??
    failure.money?.find(({ token }) => token === wanted)
  );
}

/** The token whose amount a pointer names. */
function tokenAtPointer(failure: Failure): Token | undefined {
  const { plan, pointer = '' } = failure;
  const [, side] = /^\/(sell|buy)\/amount$/.exec(pointer) ?? [];
  if (side === 'sell' || side === 'buy') return tokenByRef(plan?.[side]?.ref, failure);
  const place = /^\/routes\/(\d+)\/(fromTokens|toTokens)\/(\d+)\/amount$/.exec(pointer);
  const [, route, legs, leg] = place ?? [];
  const named = plan?.routes.find(({ index }) => index === Number(route));
  return tokenByRef(named?.[legs as 'fromTokens' | 'toTokens']?.[Number(leg)]?.ref, failure);
}

/** @example bothUnits('1500000', { symbol: 'USDC', decimals: 6 }) // '1.5 USDC (1500000 base units)' */
function bothUnits(units: string, token: Token | undefined): string {
  const { decimals } = token ?? {};
  return decimals === undefined ? units : `${amountOf(units, token)} (${units} base units)`;
}

/** Returns the largest dust of a run in words: how much of what, and where. */
export function dustWords({
  baseUnits,
  partsPerMillion,
  exchange,
  ...dust
}: NonNullable<Report['largestDust']>): string {
  const [sign, units] = baseUnits.startsWith('-') ? ['-', baseUnits.slice(1)] : ['', baseUnits];
  const inTokens = dust.decimals === undefined ? '' : `${sign}${amountOf(units, dust)}, `;
  return `${inTokens}${baseUnits} base units of ${dust.token} (${partsPerMillion} parts per million) in request ${exchange}`;
}
