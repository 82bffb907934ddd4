import { chooseRequests } from '../../conformance/execution/choose-requests.ts';
import { findShapes } from '../../conformance/execution/find-shapes.ts';
import { readSwapPlan } from '../../conformance/execution/read-swap-plan.ts';
import type { SwapPlan } from '../../conformance/model/settlement.ts';
import { type TradeRequest, targetOf } from '../../conformance/model/trade-request.ts';
import { startReferenceBench } from '../tests/helpers/reference-bench.testing.ts';
import { printHead, printRow } from './kit.ts';

/*
 * npx tsx scripts/bench/draws.ts SEEDS: for faults that only some plans show, counts such plans among those that an execution settles,
 * and the seeds with at least one of them. Nothing is settled: such a fault fails every plan that shows it.
 */

const CHAINS = [31337, 31338];
const PLANS = 216;
const seeds = Number(process.argv[2] ?? 20);
const WIDE_BPS = 5_000;

type Settled = { readonly request: TradeRequest; readonly plan: SwapPlan; readonly text: string };

function isSplit({ plan }: Settled): boolean {
  const sold = plan.steps.flatMap(({ from }) => from.map(({ token }) => token));
  return sold.filter((token) => token === plan.sell.token).length > 1;
}

/** Selects one of `n` plans, by a hash of the calldata. */
function isOneOf(n: number, { text }: Settled): boolean {
  let hash = 7;
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
  return hash % n === 0;
}

const isWide = ({ request }: Settled) => (request.slippageBps ?? 0) >= WIDE_BPS;
const isUniversal = ({ request }: Settled) => request.router === 'universal-router';
const isExactInput = ({ request }: Settled) => request.swapKind === 'exact-input';

const FAULTS: Readonly<Record<string, (settled: Settled) => boolean>> = {
  'one of 20 plans': (each) => isOneOf(20, each),
  'one of 20 plans of one router': (each) => isUniversal(each) && isOneOf(20, each),
  'a split plan pays a thief in part': isSplit,
  'a split plan of one router pays a thief in part': (each) => isSplit(each) && isUniversal(each),
  'one path takes all that a tolerance of 0.5 and more allows': (each) =>
    isSplit(each) && isWide(each),
  'the same of one router': (each) => isSplit(each) && isWide(each) && isUniversal(each),
  'the same of one router, exact input only': (each) =>
    isSplit(each) && isWide(each) && isUniversal(each) && isExactInput(each),
  'one of 20 split plans': (each) => isSplit(each) && isOneOf(20, each),
};

const reference = await startReferenceBench(CHAINS);
const counts = new Map(Object.keys(FAULTS).map((fault) => [fault, [] as number[]]));
try {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const service = { ...(await reference.session()), seed };
    const settled: Settled[] = [];
    for (const chainId of CHAINS) {
      const market = service.facts.markets.get(chainId);
      if (market === undefined) throw new Error(`chain ${chainId} is not served`);
      const shaped = await findShapes({ service, market }, PLANS);
      const requests = chooseRequests(market, seed, PLANS / CHAINS.length, shaped);
      for (const request of requests) {
        const plan = readSwapPlan(await service.get(targetOf(request)));
        const text = plan?.transaction?.calldata;
        if (plan !== undefined && text !== undefined) settled.push({ request, plan, text });
      }
    }
    for (const [fault, has] of Object.entries(FAULTS)) {
      counts.get(fault)?.push(settled.filter(has).length);
    }
  }
} finally {
  await reference.stop();
}
printHead(['fault', 'plans that show it, mean', 'minimum', 'seeds with such a plan']);
for (const [fault, found] of counts) {
  const mean = found.reduce((sum, count) => sum + count, 0) / found.length;
  const shown = found.filter((count) => count > 0).length;
  printRow([fault, mean.toFixed(1), Math.min(...found), `${shown} of ${found.length}`]);
}
