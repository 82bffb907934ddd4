import { addressKey, isHexAddress } from '../../checks/hex.ts';
import type { BodyToken } from '../../checks/plan.ts';
import { findRepeatedIds } from '../../checks/references.ts';
import { type TokenInfo, TokenSchema } from '../../contract/resources.ts';
import type { Facts } from '../../discovery/facts.ts';
import type { JudgedReply, Level, ReplyRule } from '../../model/rule.ts';
import { type Fault, quote, verdictOf } from '../../rule-kit/faults.ts';
import { fieldRules } from '../../rule-kit/field-rules.ts';
import { isHexChain, planOf, tokensOf } from '../../rule-kit/plan-of-reply.ts';
import { placesIn } from '../../rule-kit/reply-objects.ts';
import { chainAskedFor } from '../../rule-kit/request-parameters.ts';

const identity = { kind: 'reply', endpoint: 'swap' } as const;

/** "Unique within the response". */
const idsAreUnique: ReplyRule = {
  ...identity,
  id: 'token/reference-unique',
  clause: '2.3 referenceId',
  level: 'must',
  title: '`referenceId` is unique within `tokens`',
  judge: ({ reply }) => {
    const view = planOf(reply);
    if (view === undefined) return undefined;
    return verdictOf(
      findRepeatedIds(view.plan).map(({ referenceId, pointer }) => ({
        expected: 'a `referenceId` that no other entry of `tokens` has',
        actual: `${referenceId} once more`,
        pointer,
      })),
    );
  },
};

const addressesAreHex: ReplyRule = {
  ...identity,
  id: 'token/address-hex',
  clause: '2.3 address',
  level: 'must',
  title: 'token addresses are 20 bytes of hex on chains of such addresses',
  judge: (input) => {
    const tokens = tokensOf(input.reply);
    if (tokens.length === 0 || !isHexChain(input)) return undefined;
    return verdictOf(
      tokens.flatMap(({ address, pointer }) =>
        address === undefined || isHexAddress(address)
          ? []
          : [
              {
                expected: '`0x` and 40 hex digits',
                actual: quote(address),
                pointer: `${pointer}/address`,
              },
            ],
      ),
    );
  },
};

/** One token listed twice would split its flow over two entries. */
const addressesAreUnique: ReplyRule = {
  ...identity,
  id: 'token/address-unique',
  clause: '2.3 address',
  level: 'should',
  title: 'no token is listed twice',
  judge: ({ reply }) => {
    const seen = new Set<string>();
    const faults: Fault[] = [];
    for (const { address, pointer } of tokensOf(reply)) {
      if (address === undefined) continue;
      const key = addressKey(address);
      if (seen.has(key)) {
        faults.push({
          expected: 'each token once in `tokens`',
          actual: `${quote(address)} once more`,
          pointer: `${pointer}/address`,
        });
      }
      seen.add(key);
    }
    return seen.size === 0 ? undefined : verdictOf(faults);
  },
};

/** Two endpoints that disagree on a token cannot both be right. */
function agreesWithList(field: 'decimals' | 'name' | 'symbol', level: Level): ReplyRule {
  return {
    ...identity,
    id: `token/${field}-as-listed`,
    clause: `2.3 ${field}`,
    level,
    title: `\`${field}\` is what /tokens says of that token`,
    needs: 'a plan with a token that /tokens lists',
    judge: (input) => {
      const listed = listedTokens(input);
      if (listed.length === 0) return undefined;
      return verdictOf(
        listed
          .filter(
            ([token, entry]) =>
              typeof token.fields[field] === typeof entry[field] &&
              token.fields[field] !== entry[field],
          )
          .map(([token, entry]) => ({
            expected: `${quote(entry[field])}, as /tokens says of ${quote(entry.address)}`,
            actual: quote(token.fields[field]),
            pointer: `${token.pointer}/${field}`,
          })),
      );
    },
  };
}

const indexes = new WeakMap<Facts, Map<number, ReadonlyMap<string, TokenInfo>>>();

function listedTokens({
  reply,
  exchange,
  facts,
}: JudgedReply): readonly (readonly [BodyToken, TokenInfo])[] {
  const chainId = chainAskedFor(exchange);
  if (facts === undefined || chainId === undefined) return [];
  const byChain = indexes.get(facts) ?? new Map<number, ReadonlyMap<string, TokenInfo>>();
  indexes.set(facts, byChain);
  const index =
    byChain.get(chainId) ??
    new Map((facts.tokens.get(chainId) ?? []).map((token) => [addressKey(token.address), token]));
  byChain.set(chainId, index);
  return tokensOf(reply).flatMap((token) => {
    const entry = token.address === undefined ? undefined : index.get(addressKey(token.address));
    return entry === undefined ? [] : [[token, entry] as const];
  });
}

/** @see Specification 2.3 */
export const tokenRules: readonly ReplyRule[] = [
  ...fieldRules({
    section: '2.3',
    slug: 'token',
    schema: TokenSchema,
    endpoint: 'swap',
    places: placesIn('tokens'),
  }),
  idsAreUnique,
  addressesAreHex,
  addressesAreUnique,
  agreesWithList('decimals', 'must'),
  agreesWithList('name', 'should'),
  agreesWithList('symbol', 'should'),
];
