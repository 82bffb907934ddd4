import { curlLine } from '../../../conformance/client/curl-line.ts';
import { KEY_PLACEHOLDER } from '../../../conformance/client/request.ts';
import { PATHS } from '../../../conformance/contract/paths.ts';
import type {
  Chain,
  ChainInfo,
  SwapResponse,
  TokenInfo,
} from '../../../conformance/contract/resources.ts';
import { type Markup, markup } from '../../../conformance/output/markup.ts';
import { DEMO_API_KEY } from '../../../reference/server/options.ts';
import { describeTrade, type ShownTrade } from '../plan-view.ts';
import { type Answer, ask } from './service.ts';
import {
  element,
  fillChoices,
  readQuery,
  remember,
  showOthers,
  type TradedChain,
  turnPair,
  type WrongField,
} from './trade-form.ts';

/** Which field of the form a parameter of the interface stands in. */
const FIELDS: Readonly<Record<string, string>> = {
  sellToken: 'sellToken',
  buyToken: 'buyToken',
  sellAmount: 'amount',
  buyAmount: 'amount',
  router: 'router',
  slippageTolerance: 'slippage',
  userAddress: 'userAddress',
  recipientAddress: 'recipientAddress',
  chainId: 'chainId',
};

let apiKey: string = DEMO_API_KEY;
let chain: TradedChain | undefined;
/** Counts what was asked for, so that a reply that comes late is not shown. */
let asked = 0;
/** The trade that is shown, as a query. */
let shown = '';
let remembered = new URLSearchParams(location.hash.slice(1));

const [SWAP, CHAINS, CHAIN_INFO, TOKENS] = [
  PATHS.swap,
  PATHS.chains,
  PATHS.chainInfo,
  PATHS.tokens,
].map((path) => path.slice(1)) as [string, string, string, string];

function show(target: HTMLElement, parts: readonly Markup[]): void {
  target.innerHTML = parts.map(({ text }) => text).join('\n');
}

function withKey(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query, ['apiKey', apiKey]]);
}

function tell(words: Markup | undefined): void {
  show(element('news'), words ? [words] : []);
}

function tellRefusal({ error, message }: Extract<Answer<unknown>, { kind: 'refused' }>): void {
  tell(markup`<p class="told bad"><strong>${error}</strong> <span>${message}</span></p>`);
}

function markWrong(field: string | undefined): void {
  for (const wrong of document.querySelectorAll('[aria-invalid]'))
    wrong.removeAttribute('aria-invalid');
  if (field === undefined) return;
  element(field).setAttribute('aria-invalid', 'true');
  const folded = element(field).closest('details');
  if (folded) folded.open = true;
}

async function loadChains(): Promise<void> {
  const answer = await ask<Chain[]>(CHAINS, withKey(new URLSearchParams()));
  if (answer.kind === 'refused') {
    const needsKey = answer.error === 'UNKNOWN_API_KEY' || answer.error === 'MISSING_PARAMETER';
    element('keyField').hidden = !needsKey;
    // Nobody has given a key yet: the form itself says what is wanted.
    if (!needsKey || apiKey !== DEMO_API_KEY) tellRefusal(answer);
    if (needsKey) element('apiKey').focus();
    return;
  }
  tell(undefined);
  element('keyField').hidden = true;
  element<HTMLFieldSetElement>('tradeFields').disabled = false;
  element('chainId').replaceChildren(
    ...answer.body.map(({ chainId, name }) => new Option(`${name} (${chainId})`, String(chainId))),
  );
  const wanted = remembered.get('chainId');
  if (answer.body.some(({ chainId }) => String(chainId) === wanted))
    element('chainId').value = wanted ?? '';
  await loadChain();
}

async function loadChain(): Promise<void> {
  const query = withKey(new URLSearchParams({ chainId: element('chainId').value }));
  const [info, tokens] = await Promise.all([
    ask<ChainInfo>(CHAIN_INFO, query),
    ask<TokenInfo[]>(TOKENS, query),
  ]);
  if (info.kind === 'refused') return tellRefusal(info);
  if (tokens.kind === 'refused') return tellRefusal(tokens);
  chain = { info: info.body, tokens: tokens.body };
  fillChoices(chain, remembered);
  remembered = new URLSearchParams();
  await showTrade();
}

/** A plan of a dust amount tells the decimals of any token that can be traded. */
async function decimalsOf(token: string): Promise<number | undefined> {
  if (chain === undefined) return undefined;
  const { chainId, usdTokenAddress } = chain.info;
  const query = new URLSearchParams({
    chainId: String(chainId),
    sellToken: usdTokenAddress,
    buyToken: token,
    sellAmount: '1000000',
  });
  const answer = await ask<SwapResponse>(SWAP, withKey(query));
  if (answer.kind === 'refused') return undefined;
  return answer.body.tokens.find(({ address }) => address.toLowerCase() === token.toLowerCase())
    ?.decimals;
}

/** A field that is left as it is shown asks nothing anew. */
async function showChange(): Promise<void> {
  if (chain === undefined) return;
  const query = await readQuery(chain, decimalsOf);
  if ('why' in query || String(query) !== shown) await showTrade();
}

async function showTrade(): Promise<void> {
  if (chain === undefined) return;
  const turn = ++asked;
  shown = '';
  markWrong(undefined);
  remember();
  element('result').setAttribute('aria-busy', 'true');
  const query = await readQuery(chain, decimalsOf);
  const answer = 'why' in query ? query : await ask<SwapResponse>(SWAP, withKey(query));
  if (turn !== asked) return;
  if ('why' in answer) return showWrong(answer);
  if (answer.kind === 'refused') {
    tellRefusal(answer);
    markWrong(FIELDS[answer.parameter ?? '']);
    return showResult([]);
  }
  tell(undefined);
  const asQuery = query as URLSearchParams;
  shown = String(asQuery);
  const { body: reply, text, ms } = answer;
  const target = `${new URL('.', location.href).pathname}${SWAP}?${asQuery}&apiKey=${KEY_PLACEHOLDER}`;
  const trade: ShownTrade = {
    reply,
    text,
    ms,
    curl: curlLine(location.origin, target),
    isExactInput: asQuery.has('sellAmount'),
    tolerance: asQuery.get('slippageTolerance') ?? '0',
    routerName: reply.router,
  };
  const small = await ask<SwapResponse>(SWAP, withKey(partOf(asQuery)));
  if (turn !== asked) return;
  showResult(describeTrade(trade, small.kind === 'answered' ? small.body : undefined));
}

/** Returns the query for a thousandth of a trade, without calldata. */
function partOf(query: URLSearchParams): URLSearchParams {
  const part = new URLSearchParams(query);
  for (const side of ['sellAmount', 'buyAmount']) {
    const amount = part.get(side);
    if (amount !== null) part.set(side, String(BigInt(amount) / 1000n || 1n));
  }
  part.delete('includeCalldata');
  return part;
}

function showResult(parts: readonly Markup[]): void {
  const result = element('result');
  result.removeAttribute('aria-busy');
  show(result, parts);
}

function showWrong({ field, why }: WrongField): void {
  tell(markup`<p class="told bad"><strong>Not asked.</strong> <span>${why}</span></p>`);
  markWrong(field);
  showResult([]);
}

async function copy(button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(element(button.dataset['copy'] ?? '').textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    // The browser forbids it: the text is there to be selected.
    button.textContent = 'Select it';
  }
}

element('trade').addEventListener('submit', (event) => {
  event.preventDefault();
  if (element('keyField').hidden) return void showTrade();
  apiKey = element('apiKey').value;
  element('apiKey').value = '';
  void loadChains();
});
element('tradeFields').addEventListener('change', ({ target }) => {
  showOthers();
  void ((target as HTMLElement).id === 'chainId' ? loadChain() : showChange());
});
element('turn').addEventListener('click', () => {
  turnPair();
  void showTrade();
});
document.addEventListener('click', ({ target }) => {
  const button =
    target instanceof HTMLElement ? target.closest<HTMLButtonElement>('button[data-copy]') : null;
  if (button) void copy(button);
});
void loadChains();
