import { ChainSchema } from '../contract/resources.ts';
import type { ReplyRule } from '../model/rule.ts';
import { quote, verdictOf } from '../rule-kit/faults.ts';
import { fieldRules } from '../rule-kit/field-rules.ts';
import { placesIn } from '../rule-kit/reply-objects.ts';

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
          actual: `${quote(object['chainId'])} once more`,
          pointer: `${pointer}/chainId`,
        })),
    );
  },
};

/** "Human-readable network name". */
const namesAreNotBlank: ReplyRule = {
  kind: 'reply',
  endpoint: 'chains',
  id: 'chain/name-not-blank',
  clause: '2.7 name',
  level: 'should',
  title: '`name` is not blank',
  judge: ({ reply }) => {
    const named = entries(reply).filter(({ object }) => typeof object['name'] === 'string');
    if (named.length === 0) return undefined;
    return verdictOf(
      named
        .filter(({ object }) => String(object['name']).trim() === '')
        .map(({ object, pointer }) => ({
          expected: 'a name that a person can read',
          actual: quote(object['name']),
          pointer: `${pointer}/name`,
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
      ({ object }) => `${quote(object['chainId'])} ${quote(object['name'])}`,
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
  namesAreNotBlank,
  chainsSeen,
];
