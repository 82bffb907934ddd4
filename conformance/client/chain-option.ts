import { InvalidArgumentError } from 'commander';
import type { ChainId } from './chain-ids.ts';

/** Parses the digits of a chain id, for `--chain`. */
export function parseChainId(text: string): ChainId {
  if (!/^[0-9]{1,78}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : BigInt(text);
}

parseChainId.schema = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^[0-9]{1,78}$' },
  ],
};
