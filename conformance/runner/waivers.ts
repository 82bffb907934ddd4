import { addressKey } from '../checks/hex.ts';
import { parameterOf } from '../client/request.ts';
import { NATIVE_ALIASES } from '../contract/names.ts';
import { type Static, Type } from '../contract/schema.ts';
import type { RuleResult } from '../model/report.ts';
import type { Finding } from '../model/rule.ts';

/**
 * A known failure, the reason to accept it, and the last day on which it is accepted. Messages
 * quote a field's description as the expected value.
 */
export const WaiverSchema = Type.Object(
  {
    rule: Type.String({ description: 'the id of a rule, such as plan/acyclic' }),
    fault: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
        description: 'the id of a fault of the rule, as reports show it, such as cycle',
      }),
    ),
    chain: Type.Optional(Type.Integer({ description: 'a chain id' })),
    pair: Type.Optional(
      Type.Unsafe<readonly [sell: string, buy: string]>(
        Type.Array(Type.String(), {
          description: 'two token addresses, sell and buy token, in any letter case',
          minItems: 2,
          maxItems: 2,
        }),
      ),
    ),
    reason: Type.String({
      pattern: '\\S',
      description: 'a sentence that explains why the failure is accepted',
    }),
    expires: Type.String({
      format: 'date',
      description: 'YYYY-MM-DD, the last day on which the waiver is valid',
    }),
  },
  { additionalProperties: false },
);

export type Waiver = Readonly<Static<typeof WaiverSchema>>;

/** The content of a waiver file. */
export const WaiversSchema = Type.Array(WaiverSchema);

/** Which failures a waiver covers. */
export type WaivedPlace = Pick<Waiver, 'rule' | 'fault' | 'chain' | 'pair'>;

/** The waivers of a run, with a record of their use. */
export type WaiverBook = ReturnType<typeof openWaivers>;

/**
 * Opens the waivers; `today` is `YYYY-MM-DD`. A waiver that no longer matches a failure is stale.
 * If `dropIdle` is given, it receives such waivers instead. `record` receives the place of each
 * failure that no waiver covers.
 */
export function openWaivers(
  waivers: readonly Waiver[],
  today: string,
  dropIdle?: (waiver: Waiver) => void,
  record?: (place: WaivedPlace) => void,
) {
  const used = new Set<Waiver>();
  const expired = waivers.filter(({ expires }) => expires < today);
  // The narrowest waiver covers a failure, so that a wide one does not make others stale.
  const inForce = waivers
    .filter((waiver) => !expired.includes(waiver))
    .sort((a, b) => narrownessOf(b) - narrownessOf(a));
  return {
    /** Returns the valid waiver that covers a failure, if any. */
    waiverOf: (ruleId: string, finding: Pick<Finding, 'fault' | 'exchange'>) => {
      const waiver = inForce.find((each) => each.rule === ruleId && covers(each, finding));
      if (waiver === undefined) record?.(waivedPlaceOf(ruleId, finding));
      return waiver;
    },
    /** Records that a waiver covers a failure in the report. */
    use: (waiver: Waiver): void => void used.add(waiver),
    /** Returns expired waivers, and waivers whose rule was judged and had no such failure. */
    stale: (results: readonly RuleResult[], inScope: (chain: number) => boolean) => {
      const idle = inForce.filter(
        (waiver) => !used.has(waiver) && wasJudged(waiver, results, inScope),
      );
      const passed = new Set(
        results.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id),
      );
      const past = expired.filter(({ rule }) => passed.has(rule));
      const dropped = dropIdle === undefined ? [] : [...idle, ...past];
      for (const waiver of dropped) dropIdle?.(waiver);
      return [
        ...expired.map((waiver) => ({ waiver, why: `the waiver expired on ${waiver.expires}` })),
        ...idle.map((waiver) => ({
          waiver,
          why: `the waiver no longer matches a failure${placeOf(waiver)}: remove it`,
        })),
      ]
        .filter(({ waiver }) => !dropped.includes(waiver))
        .map(({ waiver, why }) => ({ rule: waiver.rule, why }));
    },
  };
}

function narrownessOf({ fault, chain, pair }: Waiver): number {
  return [fault, chain, pair].filter((limit) => limit !== undefined).length;
}

function covers(
  { fault, chain, pair }: Waiver,
  { fault: found, exchange: { query } }: Pick<Finding, 'fault' | 'exchange'>,
): boolean {
  if (fault !== undefined && fault !== found) return false;
  if (chain !== undefined && parameterOf(query, 'chainId') !== String(chain)) return false;
  if (pair === undefined) return true;
  return (
    assetKey(pair[0]) === assetKey(parameterOf(query, 'sellToken')) &&
    assetKey(pair[1]) === assetKey(parameterOf(query, 'buyToken'))
  );
}

/** Returns the narrowest place of a failure that a waiver can name. */
function waivedPlaceOf(
  rule: string,
  { fault, exchange: { query } }: Pick<Finding, 'fault' | 'exchange'>,
): WaivedPlace {
  const chainId = parameterOf(query, 'chainId');
  const [sell, buy] = [parameterOf(query, 'sellToken'), parameterOf(query, 'buyToken')];
  const chain = Number(chainId);
  return {
    ...{ rule, fault },
    ...(String(chain) === chainId && Number.isSafeInteger(chain) && { chain }),
    ...(sell && buy && { pair: [assetKey(sell), assetKey(buy)] as const }),
  };
}

function wasJudged(
  { rule, chain }: Waiver,
  results: readonly RuleResult[],
  inScope: (chain: number) => boolean,
): boolean {
  const result = results.find(({ id }) => id === rule);
  if (result === undefined || (chain !== undefined && !inScope(chain))) return false;
  return result.outcome !== 'could-not-run' && result.outcome !== 'not-applicable';
}

function assetKey(address = ''): string {
  const key = addressKey(address);
  return key === NATIVE_ALIASES[1] ? NATIVE_ALIASES[0] : key;
}

function placeOf({ fault, chain, pair }: Waiver): string {
  const parts = [
    ...(fault === undefined ? [] : [`for the fault ${fault}`]),
    ...(chain === undefined ? [] : [`on chain ${chain}`]),
    ...(pair === undefined ? [] : [`for ${pair.join(' to ')}`]),
  ];
  return parts.map((part) => ` ${part}`).join('');
}
