import { ChainSchema } from '../contract/resources.ts';
import { fieldRules } from './fields.ts';
import { verdictOf } from './findings.ts';
import { placesIn } from './places.ts';
import type { ReplyRule } from './rule.ts';

const entries = placesIn();

/** "Unique identifier of the blockchain network". */
const chainIdsAreUnique: ReplyRule = {
  kind: 'reply',
  endpoint: 'chains',
  id: 'chain/chain-id-unique',
  clause: '2.7 chainId',
  level: 'must',
  title: '`chainId` is unique within /chains',
  judge: ({ reply }) => {
    const places = entries(reply);
    if (places.length === 0) return undefined;
    const seen = new Set<unknown>();
    return verdictOf(
      places
        .filter(({ object }) => {
          const isRepeated = seen.has(object['chainId']);
          seen.add(object['chainId']);
          return isRepeated;
        })
        .map(({ pointer, object }) => ({
          expected: 'a `chainId` that no other chain has',
          actual: `${String(object['chainId'])} once more`,
          pointer: `${pointer}/chainId`,
        })),
    );
  },
};

/** "The full list of chain identifiers: not shown". */
const chainsSeen: ReplyRule = {
  kind: 'reply',
  endpoint: 'chains',
  id: 'chain/identifiers-observed',
  clause: '2.9 chain identifiers',
  level: 'observe',
  title: 'which chains are supported',
  judge: ({ reply }) => {
    const places = entries(reply);
    if (places.length === 0) return undefined;
    const names = places.map(
      ({ object }) => `${String(object['chainId'])} ${String(object['name'])}`,
    );
    return { findings: [], observed: names.slice(0, 40).join(', ') };
  },
};

/** @see Specification 2.7 */
export const chainRules: readonly ReplyRule[] = [
  ...fieldRules({
    section: '2.7',
    slug: 'chain',
    schema: ChainSchema,
    endpoint: 'chains',
    places: entries,
  }),
  chainIdsAreUnique,
  chainsSeen,
];
