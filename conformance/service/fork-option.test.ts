import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import type { ForkSource } from './fork-option.ts';
import { findChain, forkOption, forksInEnvironment } from './fork-option.ts';

const rpcUrl = 'https://node.example/v2/a1b2c3d4e5f6';
const { write } = useFolder();

function parse(forks: readonly string[], env: NodeJS.ProcessEnv = {}): readonly ForkSource[] {
  const command = new Command().addOption(forkOption(env)).action(() => undefined);
  const args = forks.flatMap((fork) => ['--fork', fork]);
  return command.parse(args, { from: 'user' }).opts<{ forks: ForkSource[] }>().forks;
}

describe('forkOption', () => {
  test.each([
    ['a URL', `1=${rpcUrl}`, {}],
    ['the name of the chain', `ethereum=${rpcUrl}`, {}],
    ['a file', `1=@${write('url', `${rpcUrl}\n`)}`, {}],
    ['the environment, by id', '1', { SWAPCHECK_RPC_1: rpcUrl }],
    ['the environment, by name', '1', { SWAPCHECK_RPC_ETHEREUM: rpcUrl }],
    [
      'the environment, by another name of the chain',
      'Ethereum',
      { SWAPCHECK_RPC_MAINNET: rpcUrl },
    ],
    ['a file in the environment', '1', { SWAPCHECK_RPC_1: `@${write('url', rpcUrl)}` }],
  ])('%s -> the node', (_, fork, env) => {
    expect(parse([fork], env)).toEqual([{ chainId: 1, rpcUrl }]);
  });

  test('a repeated option -> every node', () => {
    const env = { SWAPCHECK_RPC_10: rpcUrl };
    expect(parse([`1=${rpcUrl}`, '10'], env).map(({ chainId }) => chainId)).toEqual([1, 10]);
  });
});

describe('forksInEnvironment', () => {
  test('variables for several chains -> every node; an empty variable is ignored', () => {
    const env = { SWAPCHECK_RPC_BASE: rpcUrl, SWAPCHECK_RPC_10: rpcUrl, SWAPCHECK_RPC_1: '' };
    expect(forksInEnvironment(env)).toEqual([
      { chainId: 8453, rpcUrl },
      { chainId: 10, rpcUrl },
    ]);
    expect(forksInEnvironment({})).toEqual([]);
  });

  test.each([
    [{ SWAPCHECK_RPC_ATLANTIS: rpcUrl }, /^SWAPCHECK_RPC_ATLANTIS: no chain has this name/],
    [{ SWAPCHECK_RPC_1: 'node.example/v2/a1b2c3d4e5f6' }, /^SWAPCHECK_RPC_1: Expected/],
    [{ SWAPCHECK_RPC_1: '@/nowhere' }, /^SWAPCHECK_RPC_1=@\/nowhere cannot be read \(ENOENT\)/],
  ])('%o -> rejected, without the key', (env, message) => {
    expect(() => forksInEnvironment(env)).toThrow(message);
    expect(() => forksInEnvironment(env)).not.toThrow(/a1b2c3d4/);
  });
});

describe('findChain', () => {
  test.each([
    ['1', 1],
    ['31337', 31_337],
    ['Arbitrum One', 42_161],
    ['ARBITRUM', 42_161],
    ['OP_MAINNET', 10],
    ['bnb-smart-chain', 56],
    ['atlantis', undefined],
    ['', undefined],
  ])('%s -> %s', (name, id) => {
    expect(findChain(name)).toBe(id);
  });
});
