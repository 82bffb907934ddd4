import type { Redact, Redactor } from '../client/redaction.ts';
import { counted } from '../contract/counted.ts';
import { shorten } from '../contract/cut-text.ts';
import { amountOf } from './format-amount.ts';
import { quote, type Statement, type TokenName, type Value } from './statement.ts';

/** Known properties of a token. */
export type KnownToken = {
  readonly symbol?: string | undefined;
  readonly decimals?: number | undefined;
};

/** Options for rendering a statement as text. */
export type TextOptions = {
  /** Looks up a token, so that its amounts are also shown in whole tokens. */
  readonly tokenOf?: ((name: TokenName) => KnownToken | undefined) | undefined;
  /** Removes the API key from values. Default: nothing is removed. */
  readonly redactor?: Pick<Redactor, 'redactText' | 'redactSentence'> | undefined;
};

/**
 * Returns a statement as plain text.
 *
 * @example
 * formatStatement(words`${amountIn(1_500_000n, { referenceId: 2 })} left over`, { tokenOf })
 * // '1.5 USDC (1500000 base units) left over'
 */
export function formatStatement(statement: Statement, options: TextOptions = {}): string {
  return statement
    .map((part) => (typeof part === 'string' ? part : formatValue(part, options)))
    .join('');
}

/** Returns a value that the service sent, as statements show it: `"1e18"`. */
export function formatQuoted(value: unknown): string {
  return formatStatement([quote(value)]);
}

function formatValue(value: Value, { tokenOf, redactor = NOTHING_HIDDEN }: TextOptions): string {
  const { redactText, redactSentence } = redactor;
  switch (value.kind) {
    case 'amount':
      return amountWords(value, tokenOf, redactText);
    case 'token':
      return tokenText(value.token, tokenOf?.(value.token), redactText);
    case 'number':
      return String(value.number);
    case 'address':
      return redactText(value.address);
    case 'json':
      return shortJson(redactText(redactSentence(value.text)));
    case 'text':
      return redactSentence(value.text);
  }
}

const NOTHING_HIDDEN = {
  redactText: (text: string) => text,
  redactSentence: (text: string) => text,
};

function amountWords(
  { units, token }: Extract<Value, { kind: 'amount' }>,
  tokenOf: TextOptions['tokenOf'],
  redactText: Redact,
): string {
  const known = token && tokenOf?.(token);
  if (known?.decimals !== undefined) {
    const symbol = known.symbol === undefined ? undefined : redactText(known.symbol);
    return `${amountOf(String(units), { ...known, symbol })} (${formatUnits(units)})`;
  }
  if (token === undefined) return formatUnits(units);
  return `${formatUnits(units)} of ${tokenText(token, undefined, redactText)}`;
}

function tokenText(name: TokenName, known: KnownToken | undefined, redactText: Redact): string {
  if (known?.symbol !== undefined) return shorten(redactText(known.symbol), MAX_SYMBOL);
  return 'address' in name ? redactText(name.address) : `token ${name.referenceId}`;
}

const MAX_SYMBOL = 14;

/** @example formatUnits(1n) // '1 base unit' */
function formatUnits(units: bigint): string {
  return counted(units, 'base unit');
}

const MAX_QUOTED_CHARACTERS = 120;

function shortJson(text: string): string {
  if (text.length <= MAX_QUOTED_CHARACTERS) return text;
  const cut = text.slice(0, MAX_QUOTED_CHARACTERS - 4).replace(/\\+$/, '');
  const quotes = cut.replace(/\\./g, '').split('"').length - 1;
  return `${cut}...${quotes % 2 === 0 ? '' : '"'}`;
}
