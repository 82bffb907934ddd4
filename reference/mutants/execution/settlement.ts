import type { Middleware } from 'koa';
import { encodeAbiParameters, type Hex } from 'viem';
import type { SwapResponse } from '../../../conformance/contract/resources.ts';
import type { Address } from '../../domain/address.ts';
import { loadEmbeddedMarkets } from '../../market/embedded-markets.ts';
import { alterBody } from '../alter-reply.ts';
import { alterRequest } from '../alter-request.ts';
import type { Mutant } from '../mutant.ts';
import { reprice } from '../plan-surgery.ts';
import { askForAnother, settlementMutant } from './settlement-mutant.ts';
import { changeCommands } from './universal-calldata.ts';

const NATIVE = '0x0000000000000000000000000000000000000000';
/** Commands of the Universal Router. */
const TAKE_BY_PERMIT2 = 0x02;
const SWEEP = 0x04;
const PAY_PORTION = 0x06;
const SWAPS = new Set([0x00, 0x01, 0x08, 0x09]);
/** What stands for the router itself among recipients. */
const ROUTER = 2n;
const NEARLY_ALL_BPS = 9_990n;

/** Scales an amount that is asked for by parts in a thousand, where it is given. */
function scale(query: URLSearchParams, name: string, perMille: bigint): void {
  const amount = query.get(name);
  if (amount === null || !/^[0-9]{3,60}$/.test(amount)) return;
  query.set(name, String((BigInt(amount) * perMille) / 1_000n));
}

/** Replaces the deadline, the one word of the calldata that lies within the hour to come. */
function expireIn(plan: SwapResponse, seconds: number): void {
  const now = Math.floor(Date.now() / 1000);
  const words = plan.calldata?.slice(10).match(/.{64}/g) ?? [];
  const deadline = words.find((word) => {
    const value = BigInt(`0x${word}`);
    return value > BigInt(now) && value < BigInt(now + 3_600);
  });
  if (deadline === undefined || plan.calldata === undefined) return;
  const word = (now + seconds).toString(16).padStart(64, '0');
  plan.calldata = plan.calldata.replace(deadline, word);
}

/** The reference with one fault that only a chain shows, in every trade. */
export const settlementMutants: readonly Mutant[] = [
  settlementMutant(
    'ignores-tolerance',
    '4.1 slippageTolerance',
    'protects',
    'the calldata accepts any price, whatever the tolerance',
    () => alterRequest('swap', (query) => query.set('slippageTolerance', '1')),
  ),
  settlementMutant(
    'tolerates-nothing',
    '4.1 slippageTolerance',
    'tolerates',
    'the calldata reverts at the smallest move of the price, whatever the tolerance',
    () =>
      alterRequest('swap', (query) => {
        // A tolerance of 1 is left: it is what the price is moved with.
        if (query.get('slippageTolerance') !== '1') query.set('slippageTolerance', '0');
      }),
  ),
  settlementMutant(
    'pays-the-sender',
    '4.1 recipientAddress',
    'pays-recipient',
    'what is bought goes to the sender, recipient or not',
    () => alterRequest('swap', (query) => query.delete('recipientAddress')),
  ),
  settlementMutant(
    'overspends',
    '2.1 sell',
    'sells-exactly',
    'the calldata sells 1 % more than the plan says',
    () =>
      askForAnother(
        (query) => scale(query, 'sellAmount', 1_010n),
        (plan, asked) => {
          plan.sell.amount = asked.get('sellAmount') ?? plan.sell.amount;
        },
      ),
  ),
  settlementMutant(
    'router-of-another-chain',
    '2.1 routerAddress',
    'router-is-contract',
    '`routerAddress` is where the router stands on another chain',
    () => {
      const markets = loadEmbeddedMarkets();
      return alterBody('swap', (plan, query) => {
        const other = markets.find(({ chainId }) => String(chainId) !== query.get('chainId'));
        const router = other?.routers.find(({ name }) => name === plan.router);
        if (plan.routerAddress !== undefined && router) plan.routerAddress = router.address;
      });
    },
  ),
  settlementMutant(
    'expires-at-once',
    '2.1 calldata',
    'settles',
    'the calldata expires as it is given',
    () => alterBody('swap', (plan) => expireIn(plan, 0)),
  ),
  settlementMutant(
    'expires-in-half-a-minute',
    '2.1 calldata',
    'outlives-a-minute',
    'the calldata expires half a minute after it was given',
    () => alterBody('swap', (plan) => expireIn(plan, 30)),
  ),
  settlementMutant(
    'quotes-too-well',
    '2.1 buy',
    'quote-exact',
    'plans promise 30 basis points more than the pools give',
    () => alterBody('swap', (plan, query) => reprice(plan, query, 3_000n)),
  ),
  settlementMutant(
    'quotes-too-well-without-calldata',
    '1.2 encoding',
    'own-encoding',
    'plans without calldata promise 30 basis points more than the pools give',
    () =>
      alterBody('swap', (plan, query) => {
        if (plan.calldata === undefined) reprice(plan, query, 3_000n);
      }),
  ),
  settlementMutant(
    'quotes-beyond-tolerance',
    '4.1 slippageTolerance',
    'within-tolerance',
    'the calldata accepts less than the quote and the tolerance allow',
    () =>
      askForAnother(
        (query) => query.set('slippageTolerance', '1'),
        (plan, query) => reprice(plan, query, 3_000n),
      ),
  ),
  settlementMutant(
    'gas-limit-too-low',
    '2.1 gasLimit',
    'gas-limit',
    '`gasLimit` is a third too low',
    () =>
      alterBody('swap', (plan) => {
        if (plan.gasLimit !== undefined) plan.gasLimit = String((BigInt(plan.gasLimit) * 2n) / 3n);
      }),
  ),
  settlementMutant(
    'leaves-native-wrapped',
    '4.1 native token',
    'pays-native',
    'who buys the native token receives it wrapped',
    () => {
      const markets = loadEmbeddedMarkets();
      return askForAnother(
        (query) => {
          const market = markets.find(({ chainId }) => String(chainId) === query.get('chainId'));
          if (query.get('buyToken') === NATIVE && market) {
            query.set('buyToken', market.wrappedNative);
          }
        },
        (plan, asked) => {
          if (asked.get('buyToken') === NATIVE) plan.buy.unwrapToNative = true;
        },
      );
    },
  ),
  settlementMutant(
    'leaves-dust-in-router',
    '2.1 calldata',
    'nothing-stays',
    'a thousandth of what is bought stays in the router',
    () =>
      alterUniversal((commands, { buy, tokens }) => {
        const bought = tokens.find(({ referenceId }) => referenceId === buy.referenceId);
        return commands.flatMap((command) => {
          const [recipient, ...others] = wordsOf(command.input);
          if (command.id === SWEEP) {
            return [
              {
                id: PAY_PORTION,
                input: hexOf([...wordsOf(command.input).slice(0, 2), NEARLY_ALL_BPS]),
              },
            ];
          }
          if (!SWAPS.has(command.id) || recipient === ROUTER || recipient === undefined) {
            return [command];
          }
          const portion = [BigInt(bought?.address ?? 0), recipient, NEARLY_ALL_BPS];
          return [
            { id: command.id, input: hexOf([ROUTER, ...others]) },
            { id: PAY_PORTION, input: hexOf(portion) },
          ];
        });
      }),
  ),
  settlementMutant(
    'takes-another-token',
    '2.1 sell',
    'touches-no-other-token',
    'the calldata takes a token that the user did not sell, through an allowance of its',
    () => {
      const markets = loadEmbeddedMarkets();
      return alterUniversal((commands, { sell, tokens }) => {
        const sold = tokens.find(({ referenceId }) => referenceId === sell.referenceId);
        const addresses: readonly string[] = tokens.map(({ address }) => address.toLowerCase());
        const market = markets.find((each) =>
          addresses.some((it) => each.tokens.has(it as Address)),
        );
        const others = [...(market?.tokens.keys() ?? [])];
        const other = others.find((token) => token !== sold?.address.toLowerCase());
        if (other === undefined) return commands;
        const input = encodeAbiParameters(
          [{ type: 'address' }, { type: 'address' }, { type: 'uint160' }],
          [other, '0x00000000000000000000000000000000000bad00', 7n],
        );
        return [...commands, { id: TAKE_BY_PERMIT2, input }];
      });
    },
  ),
  settlementMutant(
    'buys-less',
    '4.1 buyAmount',
    'buys-at-least',
    'exact output: the calldata buys 1 % less than was asked for',
    () =>
      askForAnother(
        (query) => scale(query, 'buyAmount', 990n),
        (plan, asked) => {
          plan.buy.amount = asked.get('buyAmount') ?? plan.buy.amount;
        },
      ),
  ),
  settlementMutant(
    'misstates-a-route',
    '2.5 amount',
    'route-amounts',
    'a plan of several routes says 1 % more of its first route than this takes',
    () =>
      alterBody('swap', ({ routes: [first, ...others] }) => {
        const [leg] = first?.fromTokens ?? [];
        if (leg === undefined || others.length === 0) return;
        leg.amount = String((BigInt(leg.amount) * 101n) / 100n);
      }),
  ),
];

type Change = Parameters<typeof changeCommands>[1];

function alterUniversal(
  change: (commands: Parameters<Change>[0], plan: SwapResponse) => ReturnType<Change>,
): Middleware {
  return alterBody('swap', (plan) => {
    if (plan.router !== 'universal-router' || plan.calldata === undefined) return;
    plan.calldata = changeCommands(plan.calldata, (commands) => change(commands, plan));
  });
}

function wordsOf(input: Hex): bigint[] {
  return (input.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

function hexOf(words: readonly bigint[]): Hex {
  return `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`;
}
