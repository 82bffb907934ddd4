import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createHttpTransport } from '../../client/http-transport.ts';
import { intoListener } from '../../client/into-listener.testing.ts';
import type { Transport } from '../../client/transport.ts';
import { createRpc, hideUrl, JsonRpcError, NodeUnreachableError, originOf } from './json-rpc.ts';

function answeringAlways(text: string, status = 200): Transport {
  return intoListener((_, response) => response.writeHead(status).end(text));
}

describe('createRpc', () => {
  test('an error of the node -> JsonRpcError with its method', async () => {
    const transport = answeringAlways('{"error":{"code":-32601,"message":"unknown"}}');
    const failing = createRpc('http://node.example', { transport })('no_such_method');
    await expect(failing).rejects.toThrow(JsonRpcError);
    await expect(failing).rejects.toThrow(/^no_such_method: unknown$/);
  });

  test.each([
    ['nothing listens', createHttpTransport(new URL('http://127.0.0.1:1'))],
    ['a page instead of JSON', answeringAlways('<html>', 502)],
    ['truncated JSON', answeringAlways('{"result":')],
    ['no result', answeringAlways('{}')],
  ])('%s -> NodeUnreachableError that shows only the origin', async (_, transport) => {
    const url = 'http://node.example:8545/v2/secret?key=hush';
    const error = await createRpc(url, { transport })('eth_chainId').catch((it: unknown) => it);
    expect(error).toBeInstanceOf(NodeUnreachableError);
    expect(String(error)).toMatch(/http:\/\/node\.example:8545 does not respond: ./);
    expect(String(error) + JSON.stringify(error)).not.toMatch(/secret|hush/);
  });

  test.each([
    ['whitespace', '\r\n\t{"result":"0x1"}\n'],
    ['a byte-order mark', '\uFEFF{"result":"0x1"}'],
  ])('%s before the JSON -> ignored', async (_, text) => {
    const transport = answeringAlways(text);
    expect(await createRpc('http://node.example', { transport })('eth_chainId')).toBe('0x1');
  });

  test('originOf -> no path, no query, no user', () => {
    expect(originOf('https://user:pass@node.example/v2/KEY?k=1')).toBe('https://node.example');
    expect(originOf('nonsense KEY')).toBe('a malformed URL');
  });
});

describe('hideUrl', () => {
  test.each([
    'https://node.example/v2/KEY?token=hush',
    'https://node.example?token=hush',
    'https://user:hush@node.example/',
  ])('%s -> its origin, in any encoding', (url) => {
    const { href, pathname, search } = new URL(url);
    const hidden = hideUrl(`${url} and ${href} and ${pathname}${search}`, url);
    expect(hidden).toMatch(/^https:\/\/node\.example and https:\/\/node\.example and /);
    expect(hidden).not.toMatch(/KEY|hush/);
  });

  test('the key without the URL, in any encoding -> removed', () => {
    const key = 'Zk3/9fXq+71aB';
    const url = `https://node.example/v2/${encodeURIComponent(key)}?auth=${encodeURIComponent(key)}`;
    const encodings = [
      key,
      encodeURIComponent(key),
      Buffer.from(key).toString('hex'),
      Buffer.from(key).toString('base64url'),
    ];
    const hidden = hideUrl(`lost ${encodings.join(' and ')} at block 12 of mainnet v2`, url);
    expect(hidden).toBe('lost  and  and  and  at block 12 of mainnet v2');
  });

  test('a user name and a password -> sent in a header, and never shown', async () => {
    const sent: IncomingMessage[] = [];
    const transport = intoListener((request, response) => {
      sent.push(request);
      const message = `refused ${request.headers.authorization}`;
      response.end(JSON.stringify({ error: { message } }));
    });
    const failing = createRpc('https://me:swordfish@node.example/', { transport })('eth_call');
    await expect(failing).rejects.toThrow('eth_call: refused Basic ');
    await expect(failing).rejects.not.toThrow(/me:swordfish|bWU6c3dvcmRmaXNo/);
    expect(sent[0]?.url).toBe('/');
    expect(sent[0]?.headers.authorization).toBe('Basic bWU6c3dvcmRmaXNo');
  });

  test('an error that quotes the URL -> no key', async () => {
    const url = 'https://node.example/v2/KEY';
    const transport = answeringAlways(JSON.stringify({ error: { message: `lost ${url}` } }));
    const failing = createRpc(url, { transport })('eth_call');
    await expect(failing).rejects.toThrow('eth_call: lost https://node.example');
    await expect(failing).rejects.not.toThrow('KEY');
  });
});
