import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { mine } from '../../../fixtures/testing/send.testing.ts';
import { exchangeWith } from '../../client/exchange.testing.ts';
import type { ChainMarket } from '../../discovery/facts.ts';
import type { Session } from '../../model/session.ts';
import type { ForkSource } from '../../service/fork-option.ts';
import { createExecutor } from '../executor.ts';
import { type AnvilNode, startAnvil } from '../node/anvil.ts';
import { createRpc, originOf, type Rpc } from '../node/json-rpc.ts';
import { NodeRejectionError } from '../node/node-losses.ts';
import { type Fault, startNodeProxy } from '../node/node-proxy.testing.ts';
import { settle, untilEnd } from '../node/until-end.testing.ts';
import { plainAsset, plainMarket, plainSession } from '../plain-market.testing.ts';
import { openFork } from './fork.ts';
import { isForkError, WrongChainError } from './source.ts';

const USER = '0x00000000000000000000000000000000c0ffee01';
const ACCOUNT = '0x00000000000000000000000000000000000000aa';

let origin: AnvilNode;
let rpc: Rpc;
const chainId = 5151;

beforeAll(async () => {
  origin = await startAnvil({ chainId, timestamp: 1_750_000_000 });
  rpc = createRpc(origin.url);
  await rpc('anvil_setBalance', [ACCOUNT, '0x7b']);
});

afterAll(() => origin.stop());

const onOrigin = () => ({ chainId, rpcUrl: origin.url });

describe('openFork', () => {
  test('a chain -> a copy whose changes are not seen outside', async () => {
    const fork = await untilEnd(openFork(onOrigin()));
    expect(await fork.rpc('eth_getBalance', [ACCOUNT, 'latest'])).toBe('0x7b');
    await fork.rpc('anvil_setBalance', [ACCOUNT, '0x1']);
    expect(await rpc('eth_getBalance', [ACCOUNT, 'latest'])).toBe('0x7b');
    await fork.stop();
    await expect(fork.rpc('eth_chainId')).rejects.toThrow();
  });

  test('a block whose fields are missing or null, as on some chains -> forked', async () => {
    const proxy = await untilEnd(
      startNodeProxy(origin.url, ({ method }) =>
        method === 'eth_getBlockByNumber' ? bare : undefined,
      ),
    );
    const { number, timestamp, hash } = await rpc<Record<string, string>>('eth_getBlockByNumber', [
      'latest',
      false,
    ]);
    const bare = {
      result: { number, timestamp, hash, nonce: null, miner: null, transactions: [] },
    };
    const fork = await untilEnd(openFork({ chainId, rpcUrl: proxy.url }));
    expect(await fork.rpc('eth_getBalance', [ACCOUNT, 'latest'])).toBe('0x7b');
    // PREVRANDAO PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
    await fork.rpc('anvil_setCode', [USER, '0x445f5260205ff3']);
    expect(await fork.rpc('eth_call', [{ to: USER }, 'latest'])).toMatch(/^0x[0-9a-f]{64}$/);
  });

  test('blocks 12 s apart -> the next block and the last within a minute are, too', async () => {
    const node = await untilEnd(startAnvil({ chainId }));
    const time = 1_900_000_000;
    for (const at of [0, 12]) await createRpc(node.url)('evm_mine', [{ timestamp: time + at }]);
    const now = () => 1_000 * (time + 15);
    const fork = await untilEnd(openFork({ chainId, rpcUrl: node.url }, { now }));
    expect([0, 9, 10, 21].map((waitS) => fork.nextBlockTime(waitS) - time)).toEqual([
      24, 24, 36, 36,
    ]);
    expect(fork.lastBlockTime(time + 75) - time).toBe(72);
  });

  test('a URL with a key -> no process shows it', async () => {
    const proxy = await untilEnd(startNodeProxy(origin.url));
    await untilEnd(openFork({ chainId, rpcUrl: proxy.url }));
    const processes = execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' });
    expect(processes).toContain('--fork-url');
    expect(processes).not.toContain(new URL(proxy.url).pathname);
  });

  test('a node of another chain -> WrongChainError with both chain ids', async () => {
    const wrong = openFork({ chainId: 1, rpcUrl: origin.url });
    await expect(wrong).rejects.toThrow(WrongChainError);
    await expect(wrong).rejects.toThrow(`serves chain ${chainId}, not chain 1`);
  });

  test('a block that the node does not have -> an error with its number', async () => {
    await expect(openFork(onOrigin(), { blockNumber: 99_999 })).rejects.toThrow(
      /have block 0x1869f/,
    );
  });

  test.each<[string, () => ForkSource, RegExp]>([
    [
      'an unreachable node',
      () => ({ chainId, rpcUrl: 'http://127.0.0.1:1/key' }),
      /1:1 does not respond/,
    ],
    ['no Anvil', onOrigin, /\/no\/such\/anvil.*getfoundry\.sh/],
    [
      'a chain of ours that does not start',
      () => ({ chainId, rpcUrl: () => Promise.reject(new Error('out of paper')) }),
      /out of paper/,
    ],
  ])('%s -> could not run, with the reason but without the key', async (what, source, why) => {
    if (what === 'no Anvil') vi.stubEnv('ANVIL_BIN', '/no/such/anvil');
    onTestFinished(() => void vi.unstubAllEnvs());
    const service = quoting(() => '1');
    const execution = await settle(source(), service);
    expect(execution).toEqual({ kind: 'could-not-run', why: expect.stringMatching(why) });
    expect(JSON.stringify(execution)).not.toMatch(/key/);
  });

  test('isForkError, a fault of this program -> false', () => {
    expect(isForkError(new TypeError('x is not a function'))).toBe(false);
  });
});

describe('a node that rejects calls for hours', () => {
  const whyOf = (url: string, reason: string) =>
    `the node at ${originOf(url)} rejects calls: its quota is spent${reason}; wait, or use another node`;

  test('at the first call -> an error at once', async () => {
    const proxy = await untilEnd(startNodeProxy(origin.url, () => ({ status: 402 })));
    await expect(openFork({ chainId, rpcUrl: proxy.url })).rejects.toEqual(
      expect.objectContaining({
        name: 'NodeRejectionError',
        message: whyOf(proxy.url, ' (HTTP status 402)'),
      }),
    );
    expect(proxy.calls).toHaveLength(1);
  });

  test.each<[string, Fault, string]>([
    ['a status', { status: 402 }, ' (HTTP status 402)'],
    [
      'a long wait',
      { status: 429, headers: { 'retry-after': '7200' } },
      ', and it accepts calls in 2 hours',
    ],
    ['an error', { code: -32005, message: 'out of credits: its quota is spent' }, ''],
  ])('%s after some calls -> could not run, with the reason', async (_, reply, reason) => {
    let isSpent = false;
    const proxy = await untilEnd(startNodeProxy(origin.url, () => (isSpent ? reply : undefined)));
    const service = quoting(() => '1');
    const spending: Session = {
      ...service,
      get: (target) => {
        isSpent = true;
        return service.get(target);
      },
    };
    const why = whyOf(proxy.url, reason);
    const execution = await settle({ chainId, rpcUrl: proxy.url }, spending);
    expect(execution).toEqual({ kind: 'could-not-run', why });
  });
});

test('a failed read that ends Anvil while it mines -> the failure of the node', async () => {
  let fault: Fault | undefined;
  const proxy = await untilEnd(startNodeProxy(origin.url, () => fault));
  const fork = await untilEnd(openFork({ chainId, rpcUrl: proxy.url }));
  fault = { status: 402 };
  await expect(mine(fork.rpc)).rejects.toThrow(NodeRejectionError);
});

describe('refresh', () => {
  test('the chain advances -> forked again after two seconds', async () => {
    const proxy = await untilEnd(startNodeProxy(origin.url));
    let now = Date.now();
    const source = { chainId, rpcUrl: proxy.url };
    const fork = await openFork(source, { now: () => now });
    const { block: first, rpc: called } = fork;
    expect(fork.stoodStill()).toBe(true);
    await fork.rpc('anvil_setBalance', [USER, '0x1']);
    expect(await fork.rpc('eth_getBalance', [ACCOUNT, 'latest'])).toBe('0x7b');
    await rpc('anvil_setBalance', [ACCOUNT, '0x99']);
    await mine(rpc);
    expect(await fork.refresh()).toBe(false);
    now += 2_000;
    expect(await fork.refresh()).toBe(true);
    expect(fork.stoodStill()).toBe(false);
    expect(await fork.rpc('eth_getBalance', [ACCOUNT, 'latest'])).toBe('0x99');
    expect(await fork.rpc('eth_getBalance', [USER, 'latest'])).toBe('0x0');
    expect(await fork.refresh(first.number)).toBe(true);
    expect(fork.block).toEqual(first);
    expect(await fork.rpc('eth_getBalance', [ACCOUNT, 'latest'])).toBe('0x7b');
    await fork.stop();
    await expect(called('eth_chainId')).rejects.toThrow();
  });

  test('a block that is less than a minute old -> the chain does not count as still', async () => {
    const now = () => 1_750_000_030_000;
    const fork = await untilEnd(openFork(onOrigin(), { now }));
    expect(fork.stoodStill()).toBe(false);
  });
});

/** The calldata always reverts, since the called address has no code. */
function quoting(quote: () => string): Session {
  const sell = plainAsset(`0x${'0'.repeat(40)}`, 'ETH');
  const buy = plainAsset(`0x${'2'.repeat(40)}`, 'TWO');
  const pairs = Array.from({ length: 4 }, () => [sell, buy] as const);
  return plainSession(plainMarket(chainId, pairs, [5n, 5n]), async () =>
    exchangeWith({
      sell: { referenceId: 0, amount: '5' },
      buy: { referenceId: 1, amount: quote() },
      tokens: [
        { referenceId: 0, address: `0x${'1'.repeat(40)}` },
        { referenceId: 1, address: buy.address },
      ],
      routes: [],
      routerAddress: `0x${'3'.repeat(40)}`,
      calldata: '0x12345678',
      gasLimit: '100000',
    }),
  );
}

test('one chain never opens -> the forks of all others stop when the executor closes', async () => {
  const id = 1_000_000 + process.pid;
  const node = await untilEnd(startAnvil({ chainId: id }));
  const { facts, ...service } = quoting(() => '5');
  const [market] = [...facts.markets.values()] as [ChainMarket];
  const silent = { chainId, rpcUrl: () => new Promise<string>(() => undefined) };
  const forks = [silent, { chainId: id, rpcUrl: node.url }];
  const markets = new Map([chainId, id].map((each) => [each, { ...market, chainId: each }]));
  const executor = createExecutor({ forks }, { ...service, facts: { ...facts, markets } });
  const running = () => execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' });
  const forked = new RegExp(`--chain-id ${id} .*--fork-url|--fork-url .*--chain-id ${id}`);
  void executor.execute('as-returned');
  await vi.waitFor(() => expect(running()).toMatch(forked), { timeout: 20_000 });
  void executor.close();
  await vi.waitFor(() => expect(running()).not.toMatch(forked), { timeout: 20_000 });
});

describe('a fork behind the service', () => {
  test('plans fail, and quotes moved but blocks did not -> could not run: the node lags', async () => {
    let quoted = 100;
    const service = quoting(() => {
      quoted += 1;
      return String(quoted);
    });
    expect(await settle(onOrigin(), service)).toMatchObject({
      kind: 'could-not-run',
      why: expect.stringMatching(/is at block \d+, \d+ s behind the service/),
    });
  });

  test('plans fail, and quotes did not move -> judged: the service is at fault', async () => {
    const service = quoting(() => '5');
    expect(await settle(onOrigin(), service)).toMatchObject({ kind: 'executed' });
  });
});

describe('a chain on which no plan can be settled -> not applicable, with the reason', () => {
  const pair = [plainAsset(`0x${'0'.repeat(40)}`, 'ETH'), plainAsset(`0x${'2'.repeat(40)}`, 'TWO')];
  const market = plainMarket(chainId, [pair as never], [5n, 5n]);
  const withoutCalldata = new Map([['default-router', 'plan']] as const);
  test.each([
    [
      'plans without calldata',
      { routers: withoutCalldata, requestedRouters: ['default-router', 'service-router'] as const },
      'chain 5151 returned no calldata for the requested routers, default-router, service-router: pass --router-name OURS=THEIRS if the service has other names for them',
    ],
    ['no plan', { pairs: [], routers: new Map() }, 'no pair returned a plan on chain 5151'],
    ['other addresses', { addresses: 'other' } as const, 'chain 5151 is not an EVM chain'],
    ['another chain', { chainId: 7 }, 'the service does not list the forked chain 5151'],
  ])('%s', async (_, change, why) => {
    const service = plainSession({ ...market, ...change }, () =>
      Promise.reject(new Error('asked')),
    );
    expect(await settle(onOrigin(), service)).toEqual({ kind: 'not-applicable', why });
  });
});
