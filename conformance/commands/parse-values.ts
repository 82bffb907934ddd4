import { InvalidArgumentError } from 'commander';
import type { ForkSource } from '../execution/fork.ts';
import type { Gate } from '../runner/verdict.ts';

/** `must` or `should`. */
export function parseLevel(text: string): Gate {
  if (text === 'must' || text === 'should') return text;
  throw new InvalidArgumentError('Expected must or should.');
}

/** `--fork CHAIN=RPC`. */
export function parseFork(text: string): ForkSource {
  const [, chain, rpcUrl = ''] = /^([0-9]{1,15})=(https?:\/\/.+)$/.exec(text) ?? [];
  if (chain === undefined || !URL.canParse(rpcUrl)) {
    throw new InvalidArgumentError('Expected CHAIN=RPC, such as 1=https://node.example.');
  }
  return { chainId: Number(chain), rpcUrl };
}
