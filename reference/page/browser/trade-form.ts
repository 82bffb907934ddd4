import type { ChainInfo, TokenInfo } from '../../../conformance/contract/resources.ts';
import { toBaseUnits, toFraction } from '../whole-amounts.ts';

const NATIVE = `0x${'0'.repeat(40)}`;
const OTHER = 'other';
const DEFAULT_SENDER = '0xbf145ed83f985d78a0a56241a0efb5c2853e449f';

/** A chain with its example tokens. */
export type TradedChain = { readonly info: ChainInfo; readonly tokens: readonly TokenInfo[] };

/** An invalid field, and the reason. */
export type InvalidField = { readonly field: string; readonly why: string };

/** Returns an element of the page. */
export function element<Kind extends HTMLElement = HTMLInputElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as Kind;
}

/**
 * Fills the form's lists of tokens and routers. By default, the form sells the native token for the
 * USD token.
 */
export function fillChoices({ info, tokens }: TradedChain, saved: URLSearchParams): void {
  const wrapped = tokens.find(({ address }) => address === info.wrappedNativeTokenAddress);
  const options = [
    new Option(`Native token${wrapped ? ` (as ${wrapped.symbol})` : ''}`, NATIVE),
    ...tokens.map(({ symbol, name, address }) => new Option(`${symbol} · ${name}`, address)),
    new Option('Another token…', OTHER),
  ];
  for (const id of ['sellToken', 'buyToken']) {
    element(id).replaceChildren(...options.map((option) => option.cloneNode(true)));
  }
  element('sellToken').value = NATIVE;
  element('buyToken').value = info.usdTokenAddress;
  element('router').replaceChildren(
    ...info.routers.map(
      ({ name, hasEncoder }) => new Option(hasEncoder ? name : `${name} (no calldata)`, name),
    ),
  );
  if (info.routers.some(({ name }) => name === 'default-router')) {
    element('router').value = 'default-router';
  }
  if (element('userAddress').value === '') element('userAddress').value = DEFAULT_SENDER;
  restore(saved);
  showAddressFields();
}

/** Shows the address field of each side whose token is not listed. */
export function showAddressFields(): void {
  for (const side of ['sell', 'buy']) {
    const isHidden = element(`${side}Token`).value !== OTHER;
    element(`${side}Other`).hidden = isHidden;
    const label = document.querySelector<HTMLLabelElement>(`label[for=${side}Other]`);
    if (label) label.hidden = isHidden;
  }
}

/** Swaps the sell token and the buy token. */
export function swapSides(): void {
  for (const field of ['Token', 'Other']) {
    const [sell, buy] = [element(`sell${field}`), element(`buy${field}`)];
    [sell.value, buy.value] = [buy.value, sell.value];
  }
  showAddressFields();
}

/**
 * Returns the query of `/swap` that the form describes, without the key.
 * @param decimalsOf - Returns the decimals of a token that the chain does not list; undefined if unknown.
 */
export async function readQuery(
  chain: TradedChain,
  decimalsOf: (token: string) => Promise<number | undefined>,
): Promise<URLSearchParams | InvalidField> {
  const sides = { sell: tokenOf('sell'), buy: tokenOf('buy') };
  for (const [side, token] of Object.entries(sides)) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(token)) {
      return invalid(`${side}Other`, 'A token is an address: 0x and 40 hex digits.');
    }
  }
  const side = element('side').value;
  const exact = side === 'sellAmount' ? sides.sell : sides.buy;
  const decimals = knownDecimals(chain, exact) ?? (await decimalsOf(exact));
  if (decimals === undefined) {
    const why = 'The decimals of this token are unknown: make the other side exact.';
    return invalid('amount', why);
  }
  const amount = toBaseUnits(element('amount').value, decimals);
  if (amount === undefined) {
    const places = `with up to ${decimals} decimal places for this token`;
    return invalid('amount', `An amount is a number above zero, ${places}.`);
  }
  const query = new URLSearchParams({
    chainId: String(chain.info.chainId),
    sellToken: sides.sell,
    buyToken: sides.buy,
    [side]: amount,
    router: element('router').value,
  });
  if (element('useRfq').checked) query.set('useRfq', 'true');
  return element('includeCalldata').checked ? withTransaction(query) : query;
}

function invalid(field: string, why: string): InvalidField {
  return { field, why };
}

function withTransaction(query: URLSearchParams): URLSearchParams | InvalidField {
  const tolerance = toFraction(element('slippage').value);
  if (tolerance === undefined) {
    return invalid('slippage', 'A tolerance is a percentage from 0 to 100, in steps of 0.01.');
  }
  query.set('includeCalldata', 'true');
  query.set('userAddress', element('userAddress').value.trim());
  query.set('slippageTolerance', tolerance);
  const recipient = element('recipientAddress').value.trim();
  if (recipient !== '') query.set('recipientAddress', recipient);
  return query;
}

function tokenOf(side: 'sell' | 'buy'): string {
  const chosen = element(`${side}Token`).value;
  return chosen === OTHER ? element(`${side}Other`).value.trim() : chosen;
}

function knownDecimals({ info, tokens }: TradedChain, token: string): number | undefined {
  const address = token === NATIVE ? info.wrappedNativeTokenAddress : token;
  return tokens.find((each) => each.address.toLowerCase() === address.toLowerCase())?.decimals;
}

/** Returns the fields that the page's address contains. The key is not one of them. */
function tradeFields(): readonly HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>('#tradeFields :is(input, select)')];
}

/** Saves the form in the page's address, so that a link to it opens the same trade. */
export function saveInAddress(): void {
  const fields = new URLSearchParams();
  for (const { id, type, checked, value } of tradeFields()) {
    const text = type === 'checkbox' ? String(checked) : value;
    if (text !== '') fields.set(id, text);
  }
  history.replaceState(null, '', `#${fields}`);
}

function restore(fields: URLSearchParams): void {
  for (const field of tradeFields()) {
    const text = fields.get(field.id);
    if (text === null) continue;
    const before = field.value;
    if (field.type === 'checkbox') field.checked = text === 'true';
    else field.value = text;
    // This chain lacks the saved choice.
    if (field.value === '' && field instanceof HTMLSelectElement) field.value = before;
  }
}
