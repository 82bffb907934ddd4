import type { SavedScenario } from '../../model/evidence.ts';
import type { AccountOverride, Call, Hex, Overrides, Scenario } from '../../model/scenario.ts';
import type { Address } from '../../model/trade-request.ts';

/** Returns a scenario as JSON, with amounts as text. */
export function savedScenario(scenario: Scenario): SavedScenario {
  return JSON.parse(
    JSON.stringify(scenario, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  );
}

/** Returns the scenario that a file contains. */
export function readScenario(saved: SavedScenario): Scenario {
  const { chainId, block, time, fields, overrides, before, trade, gas, measured } = saved;
  const { number, baseFee, coinbase, prevRandao, parentHash, gasLimit } = fields;
  return {
    ...{ chainId, block, time, gas: BigInt(gas) },
    fields: {
      ...{ number, baseFee: BigInt(baseFee), gasLimit: BigInt(gasLimit) },
      ...{
        coinbase: coinbase as Address,
        prevRandao: prevRandao as Hex,
        parentHash: parentHash as Hex,
      },
    },
    overrides: readOverrides(overrides),
    before: before.map(readCall),
    trade: readCall(trade),
    measured: {
      tokens: measured.tokens as Address[],
      holders: measured.holders as Address[],
    },
  };
}

function readCall({ from, to, value, data }: SavedScenario['trade']): Call {
  return { from: from as Address, to: to as Address, value: BigInt(value), data: data as Hex };
}

function readOverrides(saved: SavedScenario['overrides']): Overrides {
  const accounts = Object.entries(saved).map(
    ([account, { balance, nonce, code, storage }]): [string, AccountOverride] => [
      account,
      {
        ...(balance !== undefined && { balance: BigInt(balance) }),
        ...(nonce !== undefined && { nonce }),
        ...(code !== undefined && { code: code as Hex }),
        ...(storage !== undefined && { storage: storage as Record<Hex, Hex> }),
      },
    ],
  );
  return Object.fromEntries(accounts);
}
