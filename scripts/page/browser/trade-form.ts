import { NATIVE_ALIASES } from '../../../conformance/contract/names.ts';
import type { ChainInfo, TokenInfo } from '../../../conformance/contract/resources.ts';
import { toBaseUnits, toPart } from '../whole-amounts.ts';

const [NATIVE] = NATIVE_ALIASES;
const OTHER = 'other';
/** Whose key nobody holds: it trades on copies of a chain alone. */
const NOBODY = '0xbf145ed83f985d78a0a56241a0efb5c2853e449f';
/** What one chain trades. */
export type TradedChain = { readonly info: ChainInfo; readonly tokens: readonly TokenInfo[] };

/** A field whose text cannot be meant. */
export type WrongField = { readonly field: string; readonly why: string };

/** Returns an element of the page. */
export function element<Kind extends HTMLElement = HTMLInputElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as Kind;
}

/** Fills the choices of a chain: its tokens and routers, a trade of native for the USD token to begin with. */
export function fillChoices({ info, tokens }: TradedChain, remembered: URLSearchParams): void {
  const wrapped = tokens.find(({ address }) => address === info.wrappedNativeTokenAddress);
  const options = [
    new Option(`Native${wrapped ? ` (as ${wrapped.symbol})` : ''}`, NATIVE),
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
  if (element('userAddress').value === '') element('userAddress').value = NOBODY;
  recall(remembered);
  showOthers();
}

/** Shows the fields for an address where no token of the list is chosen. */
export function showOthers(): void {
  for (const side of ['sell', 'buy']) {
    const isHidden = element(`${side}Token`).value !== OTHER;
    element(`${side}Other`).hidden = isHidden;
    const label = document.querySelector<HTMLLabelElement>(`label[for=${side}Other]`);
    if (label) label.hidden = isHidden;
  }
}

/** Swaps the tokens of both sides. */
export function turnPair(): void {
  for (const field of ['Token', 'Other']) {
    const [sell, buy] = [element(`sell${field}`), element(`buy${field}`)];
    [sell.value, buy.value] = [buy.value, sell.value];
  }
  showOthers();
}

/**
 * Returns the query of `/swap` that the form asks, without the key.
 *
 * @param decimalsOf - Of a token that the chain does not list; undefined where nobody knows.
 */
export async function readQuery(
  chain: TradedChain,
  decimalsOf: (token: string) => Promise<number | undefined>,
): Promise<URLSearchParams | WrongField> {
  const sides = { sell: tokenOf('sell'), buy: tokenOf('buy') };
  for (const [side, token] of Object.entries(sides)) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(token)) {
      return wrong(`${side}Other`, 'A token is an address: 0x and 40 hex digits.');
    }
  }
  const side = element('side').value;
  const exact = side === 'sellAmount' ? sides.sell : sides.buy;
  const decimals = knownDecimals(chain, exact) ?? (await decimalsOf(exact));
  if (decimals === undefined) {
    const why = 'Nobody here knows how many decimals that token has: make the other side exact.';
    return wrong('amount', why);
  }
  const amount = toBaseUnits(element('amount').value, decimals);
  if (amount === undefined) {
    const places = `with up to ${decimals} places for this token`;
    return wrong('amount', `An amount is a number above zero, ${places}.`);
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

function wrong(field: string, why: string): WrongField {
  return { field, why };
}

function withTransaction(query: URLSearchParams): URLSearchParams | WrongField {
  const tolerance = toPart(element('slippage').value);
  if (tolerance === undefined) {
    return wrong('slippage', 'A tolerance is a percentage from 0 to 100, in steps of 0.01.');
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

/** Returns what a link to the page remembers: never the key, which stands elsewhere. */
function tradeFields(): readonly HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>('#tradeFields :is(input, select)')];
}

/** Puts the form into the page's address, so that a link shows the same trade. */
export function remember(): void {
  const fields = new URLSearchParams();
  for (const { id, type, checked, value } of tradeFields()) {
    const text = type === 'checkbox' ? String(checked) : value;
    if (text !== '') fields.set(id, text);
  }
  history.replaceState(null, '', `#${fields}`);
}

function recall(fields: URLSearchParams): void {
  for (const field of tradeFields()) {
    const text = fields.get(field.id);
    if (text === null) continue;
    const before = field.value;
    if (field.type === 'checkbox') field.checked = text === 'true';
    else field.value = text;
    // A choice that this chain does not have.
    if (field.value === '' && field instanceof HTMLSelectElement) field.value = before;
  }
}
