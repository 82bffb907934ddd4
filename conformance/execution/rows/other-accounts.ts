import type { Scenario } from '../../model/scenario.ts';
import {
  NATIVE_TOKEN,
  type SettledPlan,
  type SettledWithCode,
  type Trade,
} from '../../model/settlement.ts';
import { type Address, maxSold } from '../../model/trade-request.ts';
import type { Fork } from '../fork/fork.ts';
import { sideOf } from '../requests/choose-requests.ts';
import { ampleCircumstances, ampleGas } from '../scenario/circumstances.ts';
import { scenarioOf } from '../scenario/scenario.ts';
import { asContract, asDelegated, sentByOwner } from '../scenario/wallets.ts';
import { isImpossible } from '../settle/impossible.ts';
import { combine } from '../settle/provision.ts';
import { ownSample, type Row } from './row.ts';

/**
 * Sends the calldata of a plan from another account. The wallet for which the calldata was
 * requested, and the recipient, also hold the sold token and have approved the router. Settles
 * every plan without a recipient, and one plan of each kind with a recipient.
 */
export const BY_ANOTHER: Row<'sent-by-another'> = {
  kind: 'sent-by-another',
  sampleOf: (settled) => {
    const { request, plan } = settled;
    if (hasEarlierCalls(settled)) return undefined;
    if (request.recipient === undefined) return ownSample(settled);
    return [kindOf(settled), plan.steps.length > 1].join();
  },
  change: async ({ fork }, { request, exchange, plan, transaction, now }) => {
    const sent = { ...request, wallet: request.user, user: fork.accounts.wallet };
    const trade = { request: sent, exchange, plan, transaction };
    const { funds, fields } = ampleCircumstances(fork);
    const others = request.recipient === undefined ? 'none' : 'approved';
    const withOthers = { funds: { ...funds, others }, fields } as const;
    const { time } = now.scenario;
    const scenario = await scenarioOf(fork, trade, withOthers, time);
    return isImpossible(scenario)
      ? scenario
      : [{ scenario, trade, evidenceOf: (settled) => settled }];
  },
};

/** Gives code to an account of a plan that settles for accounts without code. */
function withCode(account: SettledWithCode['account']): Row<'with-code'> {
  return {
    kind: 'with-code',
    sampleOf: (plan) =>
      plan.effects.kind === 'reverted' ||
      hasEarlierCalls(plan) ||
      (account === 'contract recipient' && paysUser(plan))
        ? undefined
        : kindOf(plan),
    change: async ({ fork }, plan) => {
      const owner = account === 'contract user' ? fork.accounts.wallet : undefined;
      const scenario = await scenarioWithCode(fork, plan, { account, owner });
      return [{ scenario, evidenceOf: (settled) => ({ ...settled, account, owner }) }];
    },
  };
}

export const WITH_CODE = (['contract recipient', 'delegating user', 'contract user'] as const).map(
  withCode,
);

/** Calls before a trade may take tokens from an account that has too few for two users. */
export function hasEarlierCalls({ now }: SettledPlan): boolean {
  return now.scenario.before.length > 0;
}

/**
 * Returns the properties of a plan on which most faults of calldata depend: the router, the kind of
 * amount, the side with the native token, and whether another account than the user is paid.
 */
export function kindOf(settled: SettledPlan): string {
  const { request } = settled;
  return [request.router, request.swapKind, sideOf(request), paysUser(settled)].join();
}

export function paysUser({ holders: { user, receiver } }: SettledPlan): boolean {
  return user === receiver;
}

async function scenarioWithCode(
  fork: Fork,
  plan: SettledPlan,
  { account, owner }: Pick<SettledWithCode, 'account' | 'owner'>,
): Promise<Scenario> {
  const { user, receiver } = plan.holders;
  // The service estimated the gas for accounts without code.
  const scenario = { ...plan.now.scenario, gas: ampleGas(fork.block) };
  if (account === 'contract recipient') return asContract(scenario, receiver);
  if (owner === undefined) return asDelegated(scenario, user);
  const { tokens, holders } = scenario.measured;
  const measured = {
    tokens: [...new Set([NATIVE_TOKEN, ...tokens])],
    holders: [...new Set([...holders, owner])],
  };
  return sentByOwner({ ...(await ownedBy(fork, scenario, plan, owner)), measured }, owner);
}

/**
 * Returns a scenario in which the owner of a wallet also has the sold token and approvals, so that
 * a router could take the token from `tx.origin`.
 */
async function ownedBy(
  fork: Fork,
  scenario: Scenario,
  { request, plan }: Trade,
  owner: Address,
): Promise<Scenario> {
  const approved = fork.approvalOf(request.router);
  if (request.sell.native || approved === undefined) return scenario;
  const { token } = plan.sell;
  const given = await fork.funding.give(token, owner, maxSold(request, plan));
  if (isImpossible(given)) return scenario;
  const allowed = await fork.funding.approve(token, owner, approved);
  return { ...scenario, ...combine(scenario, given, allowed) };
}
