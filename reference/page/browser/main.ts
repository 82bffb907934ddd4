import type {
  Chain,
  ChainInfo,
  SwapResponse,
  TokenInfo,
} from '../../../conformance/contract/resources.ts';
import { type Markup, markup } from '../markup.ts';
import { type DrawPlan, describeMessages, describePlan, type ShownTrade } from '../trade-view.ts';
import { type Failure, request } from './service.ts';
import {
  element,
  fillChoices,
  type InvalidField,
  readQuery,
  saveInAddress,
  showAddressFields,
  swapSides,
  type TradedChain,
} from './trade-form.ts';

const DEMO_API_KEY = 'demo';

const [SWAP, TOKENS, CHAINS, CHAIN_INFO] = [
  'api/v1.0/swap',
  'api/v1.0/tokens',
  'api/v1.0/chains',
  'api/v1.0/chainInfo',
] as const;

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

let apiKey = DEMO_API_KEY;
let chain: TradedChain | undefined;
let latest = 0;
let shown = '';
let saved = new URLSearchParams(location.hash.slice(1));

let drawPlan: DrawPlan = () => '';

function withKey(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query, ['apiKey', apiKey]]);
}

async function loadChains(): Promise<void> {
  const reply = await request<Chain[]>(CHAINS, withKey(new URLSearchParams()));
  if (reply.kind === 'failure') {
    const needsKey = reply.error === 'UNKNOWN_API_KEY' || reply.error === 'MISSING_PARAMETER';
    element('keyField').hidden = !needsKey;
    // The form already asks for a key, so a failure is shown only if a key was entered.
    if (!needsKey || apiKey !== DEMO_API_KEY) showFailure(reply);
    if (needsKey) element('apiKey').focus();
    return;
  }
  showNotice();
  element('keyField').hidden = true;
  element<HTMLFieldSetElement>('tradeFields').disabled = false;
  element('chainId').replaceChildren(
    ...reply.body.map(({ chainId, name }) => new Option(`${name} (${chainId})`, String(chainId))),
  );
  const chainId = saved.get('chainId') ?? '';
  if (reply.body.some((each) => String(each.chainId) === chainId)) {
    element('chainId').value = chainId;
  }
  await loadChain();
}

async function loadChain(): Promise<void> {
  const query = withKey(new URLSearchParams({ chainId: element('chainId').value }));
  const [info, tokens] = await Promise.all([
    request<ChainInfo>(CHAIN_INFO, query),
    request<TokenInfo[]>(TOKENS, query),
  ]);
  if (info.kind === 'failure') return showFailure(info);
  if (tokens.kind === 'failure') return showFailure(tokens);
  chain = { info: info.body, tokens: tokens.body };
  fillChoices(chain, saved);
  saved = new URLSearchParams();
  await showTrade();
}

async function decimalsOf(token: string): Promise<number | undefined> {
  if (chain === undefined) return undefined;
  const { chainId, usdTokenAddress } = chain.info;
  const sides = { sellToken: usdTokenAddress, buyToken: token, sellAmount: '1000000' };
  const query = new URLSearchParams({ chainId: String(chainId), ...sides });
  const reply = await request<SwapResponse>(SWAP, withKey(query));
  if (reply.kind === 'failure') return undefined;
  const { tokens } = reply.body;
  return tokens.find(({ address }) => address.toLowerCase() === token.toLowerCase())?.decimals;
}

async function showTrade(): Promise<void> {
  if (chain === undefined) return;
  const turn = ++latest;
  shown = '';
  markInvalid(undefined);
  saveInAddress();
  element('result').setAttribute('aria-busy', 'true');
  const query = await readQuery(chain, decimalsOf);
  const reply = 'why' in query ? query : await request<SwapResponse>(SWAP, withKey(query));
  if (turn !== latest) return;
  if ('why' in query || 'why' in reply) return showInvalid(reply as InvalidField);
  if (reply.kind === 'failure') {
    showFailure(reply);
    markInvalid(FIELDS[reply.parameter ?? '']);
    return showResult();
  }
  const small = await request<SwapResponse>(SWAP, withKey(smallPartOf(query)));
  if (turn !== latest) return;
  showNotice();
  shown = String(query);
  const trade: ShownTrade = {
    reply: reply.body,
    text: reply.text,
    ms: reply.ms,
    curl: curlLine(query),
    isExactInput: query.has('sellAmount'),
    tolerance: query.get('slippageTolerance') ?? '0',
    ...(small.kind === 'success' && { small: small.body }),
  };
  showResult(describePlan(trade, drawPlan), describeMessages(trade));
}

/** Requests a new plan if the form no longer describes the shown trade. */
async function showChange(): Promise<void> {
  if (chain === undefined) return;
  const query = await readQuery(chain, decimalsOf);
  if ('why' in query || String(query) !== shown) await showTrade();
}

/** Opens the page: loads the chains and their tokens, then requests a plan after each change. */
export function openTradePage(draw: DrawPlan): void {
  drawPlan = draw;
  element('trade').addEventListener('submit', (event) => {
    event.preventDefault();
    if (element('keyField').hidden) return void showTrade();
    apiKey = element('apiKey').value;
    element('apiKey').value = '';
    void loadChains();
  });
  element('tradeFields').addEventListener('change', ({ target }) => {
    showAddressFields();
    void ((target as HTMLElement).id === 'chainId' ? loadChain() : showChange());
  });
  element('swapSides').addEventListener('click', () => {
    swapSides();
    void showTrade();
  });
  document.addEventListener('click', ({ target }) => {
    const button =
      target instanceof HTMLElement ? target.closest<HTMLButtonElement>('button[data-copy]') : null;
    if (button) void copy(button);
  });
  void loadChains();
}

function smallPartOf(query: URLSearchParams): URLSearchParams {
  const part = new URLSearchParams(query);
  for (const side of ['sellAmount', 'buyAmount']) {
    const amount = part.get(side);
    if (amount !== null) part.set(side, String(BigInt(amount) / 1000n || 1n));
  }
  part.delete('includeCalldata');
  return part;
}

/** The command reads the key from the environment. In single quotes, the query needs no escapes. */
function curlLine(query: URLSearchParams): string {
  const url = `${location.origin}${new URL('.', location.href).pathname}${SWAP}?${query}`;
  return `curl -sSi -G --data-urlencode "apiKey=$SWAPCHECK_API_KEY" '${url}'`;
}

function showNotice(words?: Markup): void {
  element('news').innerHTML = words?.html ?? '';
}

function showFailure({ error, message }: Failure): void {
  showNotice(markup`<p class="news bad"><strong>${error}</strong> <span>${message}</span></p>`);
}

function showInvalid({ field, why }: InvalidField): void {
  showNotice(markup`<p class="news bad"><strong>Not sent.</strong> <span>${why}</span></p>`);
  markInvalid(field);
  showResult();
}

function showResult(plan?: Markup, messages?: Markup): void {
  const result = element('result');
  result.removeAttribute('aria-busy');
  result.innerHTML = plan?.html ?? '';
  element('more').innerHTML = messages?.html ?? '';
}

function markInvalid(field: string | undefined): void {
  for (const marked of document.querySelectorAll('[aria-invalid]')) {
    marked.removeAttribute('aria-invalid');
  }
  if (field === undefined) return;
  element(field).setAttribute('aria-invalid', 'true');
  const folded = element(field).closest('details');
  if (folded) folded.open = true;
}

async function copy(button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(element(button.dataset['copy'] ?? '').textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    // The browser forbids copying: the user can still select the text.
    button.textContent = 'Select it';
  }
}
