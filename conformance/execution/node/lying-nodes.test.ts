import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '../../../fixtures/testing/tiny-server.testing.ts';
import { createFakeClock } from '../../client/fake-clock.testing.ts';
import { openFork } from '../fork/fork.ts';
import { isForkError } from '../fork/source.ts';
import { type AnvilNode, startAnvil } from './anvil.ts';
import { openNode } from './node.ts';
import type { NodeCall } from './node-proxy.testing.ts';
import { untilEnd } from './until-end.testing.ts';

/*
 * A node's reply is untrusted input. Whatever a node returns, the error names the node, is short,
 * and is an error that ends a run with exit code 3.
 */

const chainId = 7171;
const MAX_ERROR_CHARACTERS = 2_000;
const ADDRESS = `0x${'a'.repeat(40)}`;
const HASH = `0x${'b'.repeat(64)}`;

let anvil: AnvilNode;
beforeAll(async () => {
  anvil = await startAnvil({ chainId, timestamp: 1_750_000_000 });
});
afterAll(() => anvil.stop());

type Lie = (response: ServerResponse, call: NodeCall) => void;

const result =
  (value: unknown): Lie =>
  (response, { id }) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: value }));
const error =
  (value: unknown): Lie =>
  (response, { id }) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: value }));
const body =
  (text: string, status = 200): Lie =>
  (response) =>
    response.writeHead(status).end(text);

async function startLyingNode(method: string, lie: Lie): Promise<string> {
  const server = await serve(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const call = JSON.parse(text) as NodeCall;
    if (call.method === method) return lie(response, call);
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(anvil.url, { method: 'POST', headers, body: text });
    response.end(await reply.text());
  });
  await untilEnd({ stop: server.close });
  return `${server.url}/v2/SeCrEtKeY123456`;
}

const call = { status: '0x1', gasUsed: '0x1', returnData: '0x', logs: [] };
const frame = { type: 'CALL', from: ADDRESS, to: ADDRESS, input: '0x' };
const header = { number: '0x1', timestamp: '0x1', hash: HASH };
/** All calls of the trade with which `openFork` tries a node, each with the given data. */
const probeWith = (returnData: string) => {
  const calls = (count: number) => ({ calls: Array(count).fill({ ...call, returnData }) });
  return [calls(2), calls(0), calls(1), calls(1)];
};
const EMPTY_LIST = `0x${'20'.padStart(64, '0')}${'0'.repeat(64)}`;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const megabytes = 'x'.repeat(8 * 2 ** 20);

/** Lies of any method. */
const ANY: readonly [string, Lie][] = [
  ['null', result(null)],
  ['an object', result({ toString: 1 })],
  ['a list', result([])],
  ['a number', result(5)],
  ['a truth value', result(true)],
  ['a word', result('mainnet')],
  ['a hexadecimal number without digits', result('0x')],
  ['a hexadecimal number of more than 32 bytes', result(`0x${'f'.repeat(66)}`)],
  ['a deeply nested list', body(`{"jsonrpc":"2.0","id":1,"result":${nested(200_000)}}`)],
  ['an error whose message is a number', error({ code: -32_000, message: 5 })],
  ['an error whose message is an object', error({ code: -32_000, message: { replaceAll: 1 } })],
  ['an error whose code is an object', error({ code: {}, message: 'no' })],
  ['an error that is a list', error([])],
  ['an error that is a text', error('no')],
  ['an error of many megabytes', error({ code: -32_000, message: megabytes })],
  [
    'an error with many megabytes of its key',
    error({ message: 'SeCrEtKeY123456'.repeat(500_000) }),
  ],
  ['an error with data of many megabytes', error({ code: 3, message: 'no', data: megabytes })],
  ['no JSON', body('<html>')],
  ['a list of replies', body('[{"jsonrpc":"2.0","id":1,"result":"0x1"}]')],
  ['nothing', body('')],
  ['status 204', body('', 204)],
  ['status 302', body('', 302)],
  ['status 418', body('', 418)],
  ['status 500', body(megabytes, 500)],
];
const OF_METHOD: readonly [string, string, Lie][] = [
  ['eth_chainId', 'a number that is not exact', result(`0x${'f'.repeat(20)}`)],
  ['eth_getBlockByNumber', 'no fields', result({})],
  ['eth_getBlockByNumber', 'a number as number', result({ ...header, number: 5 })],
  [
    'eth_getBlockByNumber',
    'an inexact number',
    result({ ...header, number: '0xffffffffffffffff' }),
  ],
  ['eth_getBlockByNumber', 'a word as time', result({ ...header, timestamp: 'now' })],
  ['eth_getBlockByNumber', 'a short hash', result({ ...header, hash: '0x1' })],
  ['eth_getBlockByNumber', 'a negative gas limit', result({ ...header, gasLimit: -1 })],
  ['eth_getBlockByNumber', 'a fee that is a list', result({ ...header, baseFeePerGas: [] })],
  ['eth_simulateV1', 'a list of null', result([null, null, null])],
  ['eth_simulateV1', 'blocks without calls', result([{}, {}, {}, {}])],
  ['eth_simulateV1', 'calls that are null', result([{ calls: null }])],
  ['eth_simulateV1', 'a call that is null', result([{ calls: [null] }])],
  ['eth_simulateV1', 'too few blocks', result([{ calls: [call, call] }])],
  ['eth_simulateV1', 'too few calls', result(Array.from({ length: 4 }, () => ({ calls: [call] })))],
  ['eth_simulateV1', 'no balances', result(probeWith('0x'))],
  ['eth_simulateV1', 'balances that are no list', result(probeWith(`0x${'f'.repeat(64)}`))],
  ['eth_simulateV1', 'an empty list of balances', result(probeWith(EMPTY_LIST))],
  ['eth_simulateV1', 'a status that is a number', result([{ calls: [{ ...call, status: 1 }] }])],
  ['eth_simulateV1', 'gas that is a word', result([{ calls: [{ ...call, gasUsed: 'all' }] }])],
  ['eth_simulateV1', 'data of half a byte', result([{ calls: [{ ...call, returnData: '0x1' }] }])],
  ['eth_simulateV1', 'logs that are null', result([{ calls: [{ ...call, logs: null }] }])],
  [
    'eth_simulateV1',
    'a log without topics',
    result([{ calls: [{ ...call, logs: [{ address: ADDRESS, data: '0x' }] }] }]),
  ],
  [
    'eth_simulateV1',
    'a log of no account',
    result([{ calls: [{ ...call, logs: [{ address: '0x1', topics: [], data: '0x' }] }] }]),
  ],
  ['debug_traceCall', 'no fields', result({})],
  ['debug_traceCall', 'a number as input', result({ ...frame, input: 1 })],
  ['debug_traceCall', 'calls that are an object', result({ ...frame, calls: {} })],
  ['debug_traceCall', 'an inner call that is null', result({ ...frame, calls: [null] })],
  ['debug_traceCall', 'accounts that are null', result({ pre: null, post: null })],
  [
    'debug_traceCall',
    'a slot of one byte',
    result({ pre: {}, post: { [ADDRESS]: { storage: { '0x1': '0x1' } } } }),
  ],
];
const OPENING = ['eth_chainId', 'eth_getBlockByNumber', 'eth_simulateV1', 'debug_traceCall'];

test.each([
  ...OPENING.flatMap((method) => ANY.map(([what, lie]) => [method, what, lie] as const)),
  ...OF_METHOD,
])('%s returns %s -> a short error that names the node', async (method, _, lie) => {
  const rpcUrl = await startLyingNode(method, lie);
  const clock = createFakeClock();
  const failure = await openFork({ chainId, rpcUrl, settleOn: 'node' }, { clock }).catch(
    (it: unknown) => it,
  );
  expect(failure).toSatisfy(isForkError);
  const { message } = failure as Error;
  expect(message).toMatch(/^the node /);
  expect(message.length).toBeLessThan(MAX_ERROR_CHARACTERS);
  expect(message).not.toMatch(/SeCrEt|is not a function|Cannot (read|convert)|NaN|call stack/);
});

const READS: readonly [string, readonly unknown[]][] = [
  ['eth_getBalance', [ADDRESS, '0x0']],
  ['eth_getCode', [ADDRESS, '0x0']],
  ['eth_getStorageAt', [ADDRESS, '0x0', '0x0']],
  ['eth_getTransactionCount', [ADDRESS, '0x0']],
  ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x0' }]],
  ['eth_createAccessList', [{ to: ADDRESS }, '0x0']],
];
const MALFORMED = [{}, 5, true, 'mainnet', '0xzz', `0x${'f'.repeat(67)}`];

test.each(
  READS.flatMap(([method, params]) => MALFORMED.map((value) => [method, value, params] as const)),
)('%s returns %j -> the node is named, and the method', async (method, value, params) => {
  const clock = createFakeClock();
  const node = openNode(await startLyingNode(method, result(value)), { clock });
  await expect(node.rpc(method, params)).rejects.toThrow(
    `failed, even after every retry: its result of ${method} is malformed`,
  );
  node.stop();
});
