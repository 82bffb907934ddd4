import { flowsOfPools, isTrueFlow } from '../execution/pool-flows.ts';
import type { ProbeRule } from '../model/rule.ts';
import { quote } from './findings.ts';
import { judgeSettlements, unless } from './settled-rule.ts';

/** "Amount in base units", of a swap: what its pool really took and gave, as the transfers of the transaction tell. */
const amountsAreTrue = judgeSettlements({
  id: 'execution/route-amounts',
  clause: '2.5 amount',
  level: 'should',
  title: 'on an unmoved market every route takes and gives the amounts that it says',
  needs: 'a settled trade whose pools move tokens themselves, on a market that stood still',
  judge: ({ ask, plan, mined, unmoved }, { tolerancePpm }) => {
    if (!unmoved || mined?.kind !== 'mined' || !mined.success) return undefined;
    const flows = flowsOfPools(plan, mined.logs);
    if (flows.length === 0) return undefined;
    const off = flows.find((flow) => !isTrueFlow(flow, plan, ask.trade, tolerancePpm));
    return {
      fault: off && {
        expected: `${off.planned} of ${off.token} ${off.side} ${quote(off.pool)}`,
        actual: `${off.moved} moved`,
        pointer: '/routes',
      },
    };
  },
});

/** "Address of the liquidity pool": who encodes the plan calls it. */
const poolsAreContracts = judgeSettlements({
  id: 'execution/pools-are-contracts',
  clause: '2.4 address',
  level: 'should',
  title: 'the address of every pool is that of a contract on this chain',
  needs: 'a plan with calldata',
  judge: ({ poolsWithoutCode }) => {
    const [pool] = poolsWithoutCode;
    return unless(
      pool === undefined,
      'a contract at the address of every pool',
      `no code at ${quote(pool)}`,
    );
  },
});

/** Rules on a plan's swaps. @see Specification 2.4 and 2.5 */
export const settledRouteRules: readonly ProbeRule[] = [amountsAreTrue, poolsAreContracts];
