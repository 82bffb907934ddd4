import { chooseRequests } from '../../conformance/execution/requests/choose-requests.ts';
import { findShapes } from '../../conformance/execution/requests/draw-requests.ts';
import { accountsFrom } from '../../conformance/execution/scenario/accounts.ts';
import { readSwapPlan } from '../../conformance/execution/settle/read-swap-plan.ts';
import type { SwapPlan } from '../../conformance/model/settlement.ts';
import { type TradeRequest, targetOf } from '../../conformance/model/trade-request.ts';
import { startReferenceBench } from '../../fixtures/testing/reference-bench.testing.ts';
import { MUTANTS } from '../tests/mutants/catalog.ts';
import { middlewareOf } from '../tests/mutants/faults/middleware.ts';
import { judgeMutant } from '../tests/mutants/mutant-run.testing.ts';
import { printHead, printRow } from './kit.ts';

/*
 * npx tsx scripts/bench/draws.ts SEEDS: measures how often a run can find a fault. If only some
 * plans show the fault, counts them among the plans that a run would settle, and computes the share
 * of runs with at least one such plan. Settles nothing, because every such plan would fail. For
 * faults between requests, counts the seeds with which the responsible rule finds the fault.
 */

const CHAINS = [31337, 31338];
const PLANS = 216;
const accounts = accountsFrom('draws');
const seeds = Number(process.argv[2] ?? 20);
const WIDE_BPS = 5_000;
/** A rare fault affects one plan in this many. */
const ONE_IN = 20;
const OTHER_ALIAS = /^0xe{40}$/i;
/** Faults between requests. The rules that find these faults send additional requests. */
const BETWEEN_REQUESTS = [
  'relation/chain-not-in-key',
  'relation/chain-not-in-key-of-refusals',
  'relation/rfq-not-in-key',
];

type Settled = { readonly request: TradeRequest; readonly plan: SwapPlan };
type Kind = (settled: Settled) => boolean;

const isSplit: Kind = ({ plan }) =>
  plan.steps.filter(({ from }) => from.some(({ token }) => token === plan.sell.token)).length > 1;
const isWide: Kind = ({ request }) => (request.slippageBps ?? 0) >= WIDE_BPS;
const isStrict: Kind = ({ request }) => request.slippageBps === 0;
const isUniversal: Kind = ({ request }) => request.router === 'universal-router';
const isExactInput: Kind = ({ request }) => request.swapKind === 'exact-input';
const isExactOutput: Kind = (settled) => !isExactInput(settled);
const isToOther: Kind = ({ request }) => ![undefined, request.user].includes(request.recipient);
const sellsOtherAlias: Kind = ({ request: { sell } }) => OTHER_ALIAS.test(sell.address);
const buysOtherAlias: Kind = ({ request: { buy } }) => OTHER_ALIAS.test(buy.address);
const usesRfq: Kind = ({ request }) => request.useRfq === true;

/** Each of these faults affects every plan of the listed kinds. */
const KINDS: Readonly<Record<string, readonly Kind[]>> = {
  'a split plan pays a thief in part': [isSplit],
  'a split plan of one router pays a thief in part': [isSplit, isUniversal],
  'the same, exact output only': [isSplit, isUniversal, isExactOutput],
  'the same, with market makers only': [isSplit, isUniversal, usesRfq],
  'one path takes all that a tolerance of at least 0.5 allows': [isSplit, isWide],
  'one path of one router takes all that the tolerance allows': [isSplit, isWide, isUniversal],
  'the same, exact input only': [isSplit, isWide, isUniversal, isExactInput],
  'a split plan at tolerance 0, one router, exact output': [
    ...[isSplit, isStrict, isUniversal, isExactOutput],
  ],
  'the native token sold under its other alias': [sellsOtherAlias],
  'the native token sold under its other alias, one router': [sellsOtherAlias, isUniversal],
  'the native token bought under its other alias, one router': [buysOtherAlias, isUniversal],
  'another recipient, one router, exact output': [isToOther, isUniversal, isExactOutput],
  'another recipient of a split plan, one router': [isToOther, isUniversal, isSplit],
};
/** Each of these faults affects, at random, one in 20 plans of the listed kinds. */
const RARE_KINDS: Readonly<Record<string, readonly Kind[]>> = {
  'one of 20 plans': [],
  'one of 20 plans of one router': [isUniversal],
  'one of 20 split plans': [isSplit],
};

const settledBySeed = await planAll();
printHead(['fault', 'plans with the fault', 'fewest', 'runs that can find it']);
for (const [fault, kinds] of Object.entries(KINDS)) printFault(fault, kinds, 1);
for (const [fault, kinds] of Object.entries(RARE_KINDS)) printFault(fault, kinds, ONE_IN);
process.stdout.write('\n');
printHead(['fault between requests', 'seeds that find it']);
for (const id of BETWEEN_REQUESTS) await printBetween(id);
process.exit();

async function planAll(): Promise<readonly (readonly Settled[])[]> {
  const reference = await startReferenceBench(CHAINS);
  const bySeed: Settled[][] = [];
  try {
    const session = await reference.session();
    for (let seed = 1; seed <= seeds; seed += 1) {
      const service = { ...session, seed };
      const settled: Settled[] = [];
      for (const chainId of CHAINS) {
        const market = service.facts.markets.get(chainId);
        if (market === undefined) throw new Error(`chain ${chainId} is not served`);
        const plans = PLANS / CHAINS.length;
        const rareShapes = await findShapes({ service, market }, plans);
        for (const request of chooseRequests(market, { seed, accounts }, plans, rareShapes)) {
          const plan = readSwapPlan(await service.get(targetOf(request)));
          if (plan?.transaction !== undefined) settled.push({ request, plan });
        }
      }
      bySeed.push(settled);
    }
  } finally {
    await reference.stop();
  }
  return bySeed;
}

function printFault(fault: string, kinds: readonly Kind[], oneIn: number): void {
  const found = settledBySeed.map(
    (settled) => settled.filter((each) => kinds.every((isKind) => isKind(each))).length,
  );
  const mean = found.reduce((sum, count) => sum + count, 0) / found.length / oneIn;
  const missed = found.map((count) => (1 - 1 / oneIn) ** count);
  const shown = 1 - missed.reduce((sum, each) => sum + each, 0) / found.length;
  const fewest = (Math.min(...found) / oneIn).toFixed(oneIn === 1 ? 0 : 1);
  printRow([fault, mean.toFixed(1), fewest, `${(100 * shown).toFixed(1)}%`]);
}

async function printBetween(id: string): Promise<void> {
  const mutant = MUTANTS.find((each) => each.id === id);
  if (mutant === undefined) throw new Error(`there is no mutant ${id}`);
  let shown = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { failed } = await judgeMutant({
      ...{ middleware: () => middlewareOf(mutant), seed, until: mutant.caughtBy },
      ...{ alone: {}, inProcess: true },
    });
    if (failed.includes(mutant.caughtBy)) shown += 1;
  }
  printRow([mutant.title, `${shown} of ${seeds}`]);
}
