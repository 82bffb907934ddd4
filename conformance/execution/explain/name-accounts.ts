import type { Scenario } from '../../model/scenario.ts';
import { NATIVE_TOKEN, type Quote } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import type { ForkedMarket } from '../fork/fork.ts';
import { readAddress } from '../settle/read-swap-plan.ts';
import type { NameOf } from './describe-trace.ts';

/** Names of accounts and tokens. */
export type Names = {
  readonly nameOf: NameOf;
  /**
   * Returns an object with the name of an account under the given key; empty if the account has no
   * name.
   */
  readonly nameAs: <Key extends string>(
    key: Key,
    account: Address,
  ) => { readonly [Each in Key]?: string };
  readonly symbolOf: (token: Address) => { readonly symbol?: string; readonly decimals?: number };
};

type Token = { readonly symbol: string; readonly decimals?: number };

/** Names a trade's accounts after the service's names for them, or after their roles. */
export function nameAccounts(
  { service, market, fork }: ForkedMarket,
  { request, plan }: Pick<Quote, 'request' | 'plan'>,
  { overrides }: Scenario,
): Names {
  const { facts } = service;
  const info = facts.chainInfo.get(market.chainId);
  const tokens = new Map<Address, Token>([[NATIVE_TOKEN, { symbol: 'native', decimals: 18 }]]);
  for (const { address, symbol, decimals } of facts.tokens.get(market.chainId) ?? []) {
    const token = readAddress(address);
    if (token !== undefined && token !== NATIVE_TOKEN) tokens.set(token, { symbol, decimals });
  }
  const accounts = new Map<Address, string>();
  const name = (account: unknown, called: string) => {
    const address = readAddress(account);
    if (address !== undefined && !accounts.has(address)) accounts.set(address, called);
  };
  name(request.user, 'the sender');
  name(request.recipient, 'the recipient');
  name(request.wallet, 'the requested wallet');
  for (const { name: router, deployedAddress } of info?.routers ?? [])
    name(deployedAddress, router);
  for (const { spender, router, viaPermit2 } of fork.approvals) {
    name(spender, viaPermit2 ? 'Permit2' : `the token proxy of ${accounts.get(router)}`);
  }
  for (const { pool, source } of plan.steps) name(pool, `a pool of ${source}`);
  for (const [account, { code }] of Object.entries(overrides)) {
    if (code !== undefined)
      name(account, account === fork.accounts.trader ? 'our trader' : 'a wallet');
  }
  return namesOf(accounts, tokens);
}

/** Returns functions that look up the names of accounts and tokens. */
export function namesOf(
  accounts: ReadonlyMap<Address, string>,
  tokens: ReadonlyMap<Address, Token>,
): Names {
  const nameOf = (account: Address) =>
    accounts.get(account) ?? (account === NATIVE_TOKEN ? 'nobody' : tokens.get(account)?.symbol);
  return {
    nameOf,
    nameAs: (key, account) => {
      const name = nameOf(account);
      return name === undefined ? {} : ({ [key]: name } as Readonly<Record<typeof key, string>>);
    },
    symbolOf: (token) => tokens.get(token) ?? {},
  };
}
