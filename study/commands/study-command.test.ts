import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { createStudyOptimizer } from '../../scripts/cli/study-optimizer.ts';
import {
  CHAIN_ID,
  type MovingMarket,
  startMovingMarket,
} from '../measure/moving-market.testing.ts';
import { planFewPools } from '../measure/planted-services.testing.ts';
import type { StudyReport } from '../model/study-report.ts';
import { createStudyCommand } from './study-command.ts';

const KEY = 'demo';
const { at } = useFolder();
let market: MovingMarket;
let url: string;

beforeAll(async () => {
  market = await startMovingMarket(5);
  ({ url } = await market.serve({ planner: planFewPools() }));
});

afterAll(() => market.stop());

const startSubject = async () => ({
  url,
  apiKey: KEY,
  forks: [{ chainId: CHAIN_ID, rpcUrl: async () => market.rpcUrl }],
  close: async () => {},
});
const createOptimizer = async (file: string | undefined) => createStudyOptimizer(file);

function study(args: readonly string[], onPause: (times: number) => void = () => {}) {
  let times = 0;
  const pause = async () => {
    await market.move();
    times += 1;
    onPause(times);
  };
  return runCommand(createStudyCommand({ startSubject, createOptimizer, pause }), args);
}

const SIZES = ['--sizes', '100,20000'];
const measure = (
  more: readonly string[],
  onPause?: (times: number) => void,
  service: string = url,
) =>
  study(
    [service, '--api-key', KEY, '--fork', `${CHAIN_ID}=${market.rpcUrl}/?key=NODEKEY`, ...more],
    onPause,
  );
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as StudyReport;

describe('swapcheck study', () => {
  const fork = ['--fork', '1=http://127.0.0.1:1/NODEKEY'];
  test.each([
    ['no URL', ['ftp://a', '--api-key', 'k', ...fork], /expected an http or https URL/],
    ['no node', ['http://a', '--api-key', 'k'], /study needs a node for each chain/],
    [
      'keys for only some services',
      ['http://a', 'http://b', 'http://c', '--api-key', 'k', '--api-key', 'l', ...fork],
      /--api-key was given 2 times for 3 services/,
    ],
    [
      'a file that is not a market',
      ['http://a', '--api-key', 'k', ...fork, '--market', 'package.json'],
      /--market package\.json is neither a market file nor a pools file/,
    ],
    ['one chain twice', ['http://a', '--api-key', 'k', ...fork, ...fork], /names chain 1 twice/],
    ['a size of zero', ['http://a', '--sizes', '10,0'], /Expected a number above 0/],
    ['half a block', ['http://a', '--blocks', '0,1.5'], /Expected a whole number from 0/],
    ['a finer tolerance', ['http://a', '--tolerance', '0.00005'], /in steps of 0\.0001/],
    ['an unknown format', ['http://a', '--report', 'pdf'], /There is no format "pdf"/],
  ])('%s -> exit code 2, with the expected value', async (_what, args, message) => {
    const { code, text } = await study(args);
    expect(text).toMatch(message);
    expect(text).not.toContain('NODEKEY');
    // Commander exits with 1, which the program turns into 2.
    expect(code).toBe(/^error: |missing required|Expected|There is no format/.test(text) ? 1 : 2);
  });

  test('no URL -> the built-in reference is measured at the block of the quote, without a node', async () => {
    const { code, stderr } = await study([
      ...SIZES,
      '--trades',
      '2',
      '--report',
      `json=${at('own.json')}`,
    ]);
    const { verdict, services, settings, reason } = read(at('own.json'));
    expect({ code, verdict }, stderr).toEqual({ code: 0, verdict: 'complete' });
    expect(stderr).toContain('no URL given: measuring the built-in reference');
    expect(services.map(({ name }) => name)).toEqual(['built-in reference']);
    expect(settings.blocks).toEqual([0]);
    expect(reason).toMatch(
      /^[\d.]+% of 2 plans of built-in reference settled.*; 2 trades were measured$/,
    );
  });

  test('no API key -> incomplete, with the reason', async () => {
    const { code, text } = await study([
      url,
      '--api-key',
      '',
      '--fork',
      `${CHAIN_ID}=${market.rpcUrl}`,
    ]);
    expect(text).toMatch(/INCOMPLETE: .*no API key given/i);
    expect(code).toBe(3);
  });

  test('a swapcheck.yaml with a URL and a node -> that service is measured; the command line takes precedence', async () => {
    const working = process.cwd();
    writeFileSync(
      at('swapcheck.yaml'),
      `url: http://127.0.0.1:9\nfork: ${CHAIN_ID}=${market.rpcUrl}\nseed: 7`,
    );
    process.chdir(dirname(at('swapcheck.yaml')));
    try {
      const configured = await study(['--api-key', KEY, '--report', 'json=configured.json']);
      expect(configured.stderr).toContain('Options are read from swapcheck.yaml');
      expect(configured.code).toBe(3);
      const { services, settings, reason } = read(at('configured.json'));
      expect(services.map(({ url }) => url)).toEqual(['http://127.0.0.1:9']);
      expect([settings.chains, settings.seed]).toEqual([[CHAIN_ID], 1]);
      expect(reason).toContain('cannot study 127.0.0.1:9');
      const named = await study(['http://127.0.0.1:11', '--api-key', KEY]);
      expect(named.text).toContain('cannot study 127.0.0.1:11');
      const ignored = await study(['http://127.0.0.1:11', '--api-key', KEY, '--no-config']);
      expect(ignored.text).toContain('study needs a node for each chain');
      writeFileSync('options.yaml', 'timeout: 9');
      const without = await study(['--config', 'options.yaml']);
      expect([without.code, without.text]).toEqual([
        2,
        expect.stringContaining('--config options.yaml: a BASE_URL is required'),
      ]);
    } finally {
      process.chdir(working);
    }
  });

  test('--max-time while a node does not respond -> incomplete, with the number of missing trades', async () => {
    const silent = await serve((request, response) => {
      request.on('data', (body) => {
        if (!String(body).includes('eth_chainId')) return;
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' }));
      });
    });
    const args = ['--api-key', KEY, '--fork', `1=${silent.url}`, '--max-time', '0.3'];
    const { code, text } = await study([url, ...args]);
    expect(text).toMatch(/the 0.3 s of --max-time are over: 120 trades are missing/);
    expect(code).toBe(3);
  });

  test('an unreachable node -> only its origin is shown', async () => {
    await expect(study(['http://a', '--api-key', 'k', ...fork])).rejects.toThrow(
      /^(?!.*NODEKEY).*127\.0\.0\.1:1/,
    );
  });

  test('--market -> quotes compared with the best plan over the pools of a file, including makers', async () => {
    const path = at('market.json');
    const file = createRequire(import.meta.url).resolve(`#fixtures/markets/${CHAIN_ID}.json`);
    const args = ['--trades', '2', '--blocks', '0', '--market', file, '--report', `json=${path}`];
    const best = await market.serve({});
    const { code } = await measure([...args, ...SIZES], undefined, best.url);
    expect(code).toBe(0);
    const { trades, metrics } = read(path);
    const pools = JSON.parse(readFileSync(file, 'utf8')).pools.length;
    for (const { answers } of trades) {
      expect(answers).toMatchObject([{ best: { kind: 'best', pools } }]);
    }
    expect(metrics[0]?.best).toMatchObject({ unknown: 0, spreadBps: { count: trades.length } });
    // The service's plans are the best after gas, which the comparison ignores.
    expect(metrics[0]?.best?.spreadBps.min).toBeGreaterThanOrEqual(0);
    expect(metrics[0]?.best?.spreadBps.max).toBeLessThan(50);
  });

  test('a service that rejects requests -> incomplete, with the reason', async () => {
    const rejecting = await serve((_request, response) => {
      response.writeHead(401).end('{"error":"no"}');
    });
    const path = at('rejected.json');
    const args = ['--api-key', KEY, '--fork', `${CHAIN_ID}=${market.rpcUrl}`];
    const { code } = await study([rejecting.url, ...args, '--report', `json=${path}`]);
    expect(code).toBe(3);
    expect(read(path)).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringMatching(/replied to \/chains with 401.*120 trades are missing/),
      trades: [],
    });
  });

  test('a service that stops during discovery -> incomplete, with the reason', async () => {
    const dying = await serve(async (request, response) => {
      if (request.url?.includes('/swap?')) return response.destroy();
      const reply = await fetch(`${url}${request.url}`);
      return response.writeHead(reply.status).end(await reply.text());
    });
    const path = at('dead.json');
    const args = ['--api-key', KEY, '--fork', `${CHAIN_ID}=${market.rpcUrl}`];
    const { code } = await study([dying.url, ...args, '--report', `json=${path}`]);
    expect(code).toBe(3);
    const reason =
      /^cannot study .*swap did not respond to 5 requests in a row: 120 trades are missing/;
    expect(read(path)).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringMatching(reason),
    });
  });

  test('a service that stops during the trades -> incomplete, with the number missing', async () => {
    let requested = 0;
    const dying = await serve(async (request, response) => {
      if (/slippageTolerance=1(?=&|$)/.test(request.url ?? '')) requested += 1;
      if (requested > 1) return response.destroy();
      const reply = await fetch(`${url}${request.url}`);
      return response.writeHead(reply.status).end(await reply.text());
    });
    const path = at('died.json');
    const args = ['--api-key', KEY, '--fork', `${CHAIN_ID}=${market.rpcUrl}`];
    const few = ['--sizes', '20000', '--trades', '7', '--blocks', '0'];
    const { code } = await study([dying.url, ...args, ...few, '--report', `json=${path}`]);
    const { verdict, reason, trades } = read(path);
    const kinds = trades.map(({ answers }) => answers[0]?.kind);
    expect(kinds).toEqual(['quoted', ...Array(6).fill('failed')]);
    expect([code, verdict]).toEqual([3, 'incomplete']);
    expect(reason).toContain(
      'swap did not respond to 5 requests in a row: 6 trades are missing, wholly or in part',
    );
  });

  test('SIGINT -> reports of the trades so far, without a key', async () => {
    const formats = ['json', 'csv', 'markdown', 'html'] as const;
    const file = (format: string) => at(`study.${format}`);
    const reports = formats.flatMap((format) => ['--report', `${format}=${file(format)}`]);
    const settings = ['--trades', '4', '--blocks', '0,1', ...SIZES];
    const { code } = await measure([...settings, ...reports], (times) => {
      if (times === 2) process.emit('SIGINT', 'SIGINT');
    });
    expect(code).toBe(3);
    const { verdict, reason, trades } = read(file('json'));
    expect({ verdict, reason }).toEqual({
      verdict: 'incomplete',
      reason: 'it was interrupted: 2 trades are missing, wholly or in part',
    });
    const settledAtAll = trades.filter(({ answers }) =>
      answers.every((answer) => answer.kind === 'quoted' && answer.outcomes.length === 2),
    );
    expect([trades.length, settledAtAll.length]).toEqual([4, 2]);
    for (const format of formats) {
      const text = readFileSync(file(format), 'utf8');
      expect(text).not.toContain(new URL(market.rpcUrl).host);
      expect(text).not.toMatch(/NODEKEY|apiKey=/);
    }
  });
});
