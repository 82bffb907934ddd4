import { InvalidArgumentError, Option } from 'commander';
import { isHexAddress } from '../checks/hex.ts';

/** Returns the option `--user`. */
export function userOption(): Option {
  return new Option(
    '--user <address>',
    'request calldata for this account, if the service requires one with funds (default: accounts of swapcheck)',
  ).argParser(parseUser);
}

function parseUser(text: string): string {
  if (isHexAddress(text)) return text;
  throw new InvalidArgumentError('Expected 0x followed by 40 hex digits.');
}

parseUser.schema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
