import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rpc } from './json-rpc.ts';
import { type RpcServer, serveRpc } from './rpc-server.ts';

let server: RpcServer;

beforeAll(async () => {
  const rpc: Rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    if (method !== 'eth_call') throw new Error(`no method '${method}'`);
    return params.length as Result;
  };
  server = await serveRpc(rpc);
});

afterAll(() => server.stop());

const called = { jsonrpc: '2.0', id: 7, result: 2 };
const noMethod = { jsonrpc: '2.0', id: null, error: { code: -32000, message: "no method ''" } };

test.each([
  ['a call', '{"id":7,"method":"eth_call","params":[1,2]}', called],
  ['a batch', '[{"id":7,"method":"eth_call","params":[1,2]},null]', [called, noMethod]],
  ['no JSON', '{', noMethod],
  ['null', 'null', noMethod],
  ['a number for a method', '{"id":7,"method":5}', noMethod],
  ['no list of parameters', '{"id":7,"method":"eth_call","params":"0x"}', noMethod],
])('%s -> a response', async (_, body, answer) => {
  const reply = await fetch(server.url, { method: 'POST', body });
  expect(await reply.json()).toEqual(answer);
});

test('a caller that disconnects during its call -> the next call gets a response', async () => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: node\r\ncontent-length: 100\r\n\r\n{"id"', () =>
    socket.resetAndDestroy(),
  );
  await new Promise((resolve) => socket.once('close', resolve));
  const body = JSON.stringify({ id: 7, method: 'eth_call', params: [1, 2] });
  expect(await (await fetch(server.url, { method: 'POST', body })).json()).toEqual(called);
});
