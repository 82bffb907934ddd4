import { constants } from 'node:buffer';
import { symlinkSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import type { Exchange } from '../client/exchange.ts';
import { CATALOG } from '../rules/catalog.ts';
import { TINY_BODIES, tinyPlan } from '../runner/tiny-service.testing.ts';
import { exitCodeOf } from '../runner/verdict.ts';
import { findCaptures } from './find-captures.ts';
import { judgeCaptured } from './judge-captured.ts';
import { readCapture } from './read-capture.ts';

const plan = tinyPlan('1000');
const key = 'a-secret-key-of-mine';
const url = `http://a/v/api/v1.0/swap?chainId=7&sellAmount=1000&apiKey=${key}`;

const options = { target: 'a.json', rules: CATALOG };
const wrongDecimals = plan.tokens.map((token) => ({ ...token, decimals: 7 }));
const wrongSource = plan.routes.map((route) => ({ ...route, name: 'V9' }));

function read(name: string, content: unknown, apiKeys?: Set<string>) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return [...readCapture({ name, chunks: [Buffer.from(text)] }, apiKeys)];
}

describe('readCapture', () => {
  test.each([
    ['a plan', plan, 'swap', 200],
    ['chains', TINY_BODIES.chains, 'chains', 200],
    ['tokens', TINY_BODIES.tokens, 'tokens', 200],
    ['chain info', TINY_BODIES.chainInfo, 'chainInfo', 200],
    ['an error', { error: 'A', message: 'b' }, 'swap', 400],
  ])('%s without a request -> operation and status from its shape', (_, body, endpoint, status) => {
    expect(read('a.json', body)).toMatchObject([
      { endpoint, origin: 'body-only', target: 'a.json', query: [], outcome: { status } },
    ]);
  });

  test('NDJSON with a URL -> request and reply without the key', () => {
    const body = JSON.stringify({ error: 'NO', message: key });
    const [exchange] = read('a.ndjson', JSON.stringify({ url, status: 400, body }));
    expect(exchange).toMatchObject({
      origin: 'captured',
      endpoint: 'swap',
      target: '/api/v1.0/swap?chainId=7&sellAmount=1000&apiKey=$SWAPCHECK_API_KEY',
      outcome: { status: 400, document: { value: { error: 'NO' } } },
    });
    expect(JSON.stringify(exchange)).not.toContain(key);
  });

  test('a HAR -> the decoded entries of this interface', () => {
    const content = {
      text: Buffer.from(JSON.stringify(plan)).toString('base64'),
      encoding: 'base64',
    };
    const headers = [{ name: 'Content-Type', value: 'application/json' }];
    const entries = [
      { request: { url: 'http://a/other' }, response: { status: 200 } },
      { request: { url, method: 'GET' }, response: { status: 0 } },
      { request: { url, method: 'GET' }, response: { status: 200, headers, content } },
    ];
    expect(read('a.har', { log: { entries } })).toMatchObject([
      {
        endpoint: 'swap',
        outcome: { status: 200, headers: { 'content-type': ['application/json'] } },
      },
    ]);
  });

  test('a HAR whose bodies are in other files -> read; missing bodies -> counted as missing', async () => {
    const { write } = useFolder(onTestFinished);
    const request = { url, method: 'GET' };
    const bodies = [
      { _file: 'deep/plan.json' },
      {},
      undefined,
      { _file: '../plan.json' },
      { text: '', size: 900 },
      { text: '', size: 0 },
    ];
    const entries = bodies.map((content) => ({ request, response: { status: 200, content } }));
    for (const path of ['har/deep/plan.json', 'plan.json']) write(path, plan);
    const har = write('har/a.har', { log: { entries } });
    const captures: Exchange[] = [];
    for await (const source of findCaptures([har])) captures.push(...readCapture(source));
    const message = 'no body in the capture';
    expect(captures.map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'reply', document: { value: plan } },
      { kind: 'no-reply', message },
      { kind: 'no-reply', message },
      { kind: 'no-reply', message },
      { kind: 'no-reply', message },
      { kind: 'reply', text: '' },
    ]);
    const report = await judgeCaptured(captures, options);
    expect(report).toMatchObject({ replies: 2, withoutBody: 4 });
    const [json] = report.rules.filter(({ id }) => id === 'endpoint/json');
    expect(json?.failures).toMatchObject([
      { count: 1, curl: expect.stringContaining("'http://a/v/api/v1.0/swap?chainId=7") },
    ]);
  });

  const body = JSON.stringify(plan);
  const gzipped = gzipSync(body).toString('base64');
  test.each<[string, object]>([
    ['base64 that is plain text', { content: { text: body, encoding: 'base64' } }],
    ['base64 that is still compressed', { content: { text: gzipped, encoding: 'base64' } }],
    ['status 304', { status: 304, content: { text: body } }],
    ['status 407, from a proxy', { status: 407, content: { text: '{}' } }],
    [
      'a content-length other than the size of its text',
      { headers: [{ name: 'Content-Length', value: '9' }], content: { text: body } },
    ],
    [
      'a bodySize other than the size of its text',
      { httpVersion: 'HTTP/1.1', bodySize: body.length + 1, content: { text: body } },
    ],
    [
      'a whole text that a comment calls truncated',
      { content: { text: body, comment: 'Truncated' } },
    ],
    ['a redirect inside Chrome', { status: 307, statusText: 'Internal Redirect', content: {} }],
    [
      'an HSTS redirect, marked by a header',
      { status: 307, headers: [{ name: 'Non-Authoritative-Reason', value: 'HSTS' }], content: {} },
    ],
    ['a size larger than its text', { content: { text: body.slice(0, -9), size: body.length } }],
    ['a partial body of unknown size', { content: { text: body.slice(0, -9), size: -1 } }],
    [
      'a truncated body, marked as such',
      { content: { text: body.slice(0, -9), _truncated: true } },
    ],
    [
      'a truncated body, according to a comment',
      { content: { text: body.slice(0, -9), comment: 'Truncated' } },
    ],
    ['an error from Chrome', { _error: 'net::ERR_ABORTED', content: { text: body } }],
    ['a failure in Playwright', { _failureText: 'aborted', content: { text: body } }],
    ['a service worker', { _fetchedViaServiceWorker: true, content: { text: body } }],
    ['a status that is a string', { status: '200', content: { text: body } }],
    ['no content', {}],
  ])('a HAR entry with %s -> omitted and counted', async (_, response) => {
    const whole = { status: 200, content: { text: body, size: Buffer.byteLength(body) } };
    const entries = [{ status: 200, ...response }, whole].map((each) => ({
      request: { url },
      response: each,
    }));
    const exchanges = read('a.har', { log: { entries } });
    expect(exchanges.map(({ outcome }) => outcome.kind)).toEqual(['no-reply', 'reply']);
    expect(await judgeCaptured(exchanges, options)).toMatchObject({ replies: 1, withoutBody: 1 });
  });

  test.each([{ _wasFulfilled: true }, { _wasAborted: true }, { _fetchType: 'Inspector Override' }])(
    'a HAR entry with %j -> omitted and counted',
    async (mark) => {
      const response = { status: 200, content: { text: body } };
      const entries = [mark, { _wasFulfilled: false }].map((each) => {
        return { request: { url }, response, ...each };
      });
      const exchanges = read('a.har', { log: { entries } });
      expect(exchanges.map(({ outcome }) => outcome.kind)).toEqual(['no-reply', 'reply']);
    },
  );

  test.each<[string, Readonly<Record<string, unknown>>]>([
    [
      'base64, named in another letter case',
      { text: Buffer.from(body).toString('base64'), encoding: 'Base64' },
    ],
    ['a size larger than its whole body', { text: body, size: body.length + 400 }],
    ['a whole body of unknown size', { text: body, size: -1 }],
    [
      'a content-length of its size',
      { text: body, headers: [{ name: 'content-length', value: String(body.length) }] },
    ],
    [
      'a content-length of its compressed size',
      {
        text: body,
        headers: [
          { name: 'content-encoding', value: 'gzip' },
          { name: 'content-length', value: '9' },
        ],
        httpVersion: 'HTTP/1.1',
        bodySize: 9,
      },
    ],
    ['a bodySize in HTTP/2, which includes frames', { text: body, httpVersion: 'h2', bodySize: 9 }],
  ])('a HAR entry with %s -> judged', (_, { headers, httpVersion, bodySize, ...content }) => {
    const response = { status: 200, headers, httpVersion, bodySize, content, _error: null };
    const entries = [{ request: { url }, response }];
    expect(read('a.har', { log: { entries } })).toMatchObject([
      { outcome: { kind: 'reply', document: { value: plan } } },
    ]);
  });

  test('a HAR entry whose query is only in queryString -> the same request', () => {
    const response = { status: 200, content: { text: body } };
    const apiKeys = new Set<string>();
    const requests = [
      { url },
      {
        url: url.replace(/\?.*/, '#part'),
        queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
      },
    ];
    const entries = requests.map((request) => ({ request, response }));
    const [whole, listed] = read('a.har', { log: { entries } }, apiKeys);
    expect(listed).toEqual(whole);
    expect(listed?.query).toContainEqual(['sellAmount', '1000']);
    expect([...apiKeys]).toEqual([key]);
  });

  test('base64 with line breaks and spaces -> read', () => {
    const base64 = Buffer.from(body).toString('base64').replace(/.{76}/g, '$&\r\n');
    const line = JSON.stringify({ url, status: 200, body: ` ${base64}\n`, encoding: 'base64' });
    expect(read('a.ndjson', line)).toMatchObject([{ outcome: { document: { value: plan } } }]);
  });

  test('lines with unusable statuses or bodies -> omitted and counted', async () => {
    const lines = [
      { url, status: '400', body: plan },
      { url, status: 304, body: '' },
      { url, status: 200, body, encoding: 'base64' },
      { url, status: 200, body: plan },
    ].map((line) => JSON.stringify(line));
    const report = await judgeCaptured(read('a.ndjson', lines.join('\n')), options);
    expect(report).toMatchObject({ replies: 1, withoutBody: 3 });
  });

  test('a body file that is a folder, a device, too large or linked from outside -> omitted', async () => {
    const { folder, at, write } = useFolder(onTestFinished);
    write('har/inside.json', plan);
    write('outside.json', plan);
    write('har/large.json', '');
    truncateSync(at('har/large.json'), 16 * 2 ** 20 + 1);
    symlinkSync(at('outside.json'), at('har/link.json'));
    symlinkSync(at('har'), at('alias'));
    symlinkSync(folder, at('har/up'));
    symlinkSync('/dev/zero', at('har/zero'));
    const files = ['inside.json', 'large.json', 'link.json', 'up/outside.json', '.', 'zero'];
    const entries = files.map((_file) => ({
      request: { url },
      response: { status: 200, content: { _file } },
    }));
    write('har/a.har', { log: { entries } });
    const captures: Exchange[] = [];
    for await (const source of findCaptures([at('alias/a.har')])) {
      captures.push(...readCapture(source));
    }
    expect(captures.map(({ outcome }) => outcome.kind)).toEqual([
      'reply',
      ...Array(5).fill('no-reply'),
    ]);
  });

  test('a line of 180 MB, or with millions of values -> rejected at once, with its line number', async () => {
    const { write, at } = useFolder(onTestFinished);
    const file = await open(write('a.ndjson', `${JSON.stringify(plan)}\n`), 'a');
    onTestFinished(() => file.close());
    const piece = Buffer.alloc(18 * 2 ** 20, 'a');
    for (let times = 0; times < 10; times++) await file.write(piece);
    const message = 'a.ndjson:2 is longer than 32 MiB';
    const readAll = async () => {
      for await (const source of findCaptures([at('a.ndjson')]))
        for (const _ of readCapture(source));
    };
    await expect(readAll()).rejects.toThrow(message);
    expect(() => read('b.ndjson', `[${'1,'.repeat(2 ** 21)}1]`)).toThrow(
      'b.ndjson:1 contains more than 2097152 JSON values',
    );
  });

  test('lines across chunks of a file -> joined', () => {
    const bytes = Buffer.from(
      ['{"error":"é","message":"1"}', '', '{"error":"b","message":"2"}'].join('\n'),
    );
    const chunks = Array.from(bytes, (byte) => Buffer.from([byte]));
    expect([...readCapture({ name: 'a.ndjson', chunks })].map(({ target }) => target)).toEqual([
      'a.ndjson:1',
      'a.ndjson:3',
    ]);
  });

  test('a byte-order mark before a HAR or lines -> skipped; before a single body -> blamed on the service', () => {
    const entry = { request: { url }, response: { status: 200, content: { text: '{}' } } };
    const har = JSON.stringify({ log: { entries: [entry] } });
    expect(read('a.har', `\uFEFF${har}`)).toEqual(read('a.har', har));
    const line = JSON.stringify({ url, status: 200, body: {} });
    for (const name of ['a.ndjson', '-']) {
      expect(read(name, `\uFEFF${line}\n${line}`)).toHaveLength(2);
    }
    expect(() => read('a.json', `\uFEFF${JSON.stringify(plan)}`)).toThrow('byte-order mark');
  });

  test.each([
    ['a.ndjson', '{"error":"A","message":"b"}\n{"a":', 'a.ndjson:2 is not JSON'],
    ['a.ndjson', '\n', 'a.ndjson contains no reply'],
    ['a.json', '{"name":"no reply"}', 'a.json does not have the shape of a reply'],
    ['a.json', '{"a":', 'a.json is not JSON'],
    ['a.har', '{}', 'a.har is not a HAR'],
    ['a.har', '{"log":', 'a.har is not JSON'],
    ['a.har', '{"log":{"entries":[]}}', 'a.har contains no request to /api/v1.0'],
    [
      'a.ndjson',
      '{"url":"http://a/b?apiKey=c","body":{}}',
      'is a request to "http://a/b", which is not part of this interface',
    ],
    ['-', 'nothing', 'standard input is not JSON'],
  ])('%s with %j -> rejected: %s', (name, text, message) => {
    expect(() => read(name, text)).toThrow(message);
  });

  test('bytes that are not UTF-8 -> rejected', () => {
    for (const name of ['a.json', 'a.ndjson']) {
      expect(() => [...readCapture({ name, chunks: [Buffer.from([0xff])] })]).toThrow('UTF-8');
    }
  });

  test('lines -> read on demand', () => {
    const bytes = Buffer.from(`${JSON.stringify(plan)}\nno JSON`);
    const exchanges = readCapture({ name: 'a.ndjson', chunks: [bytes] });
    expect(exchanges.next().value).toMatchObject({ endpoint: 'swap', target: 'a.ndjson:1' });
    expect(() => exchanges.next()).toThrow('a.ndjson:2 is not JSON');
  });

  test('a document of millions of values -> rejected, and the error names it', () => {
    const bytes = Buffer.from(`[${'1,'.repeat(2 ** 23)}1]`);
    expect(() => [...readCapture({ name: 'a.har', chunks: [bytes] })]).toThrow(
      'a.har contains more than 8388608 JSON values: convert it to .ndjson',
    );
  });

  test('a document longer than the maximum string length -> rejected, and the error names it', () => {
    const bytes = Buffer.alloc(constants.MAX_STRING_LENGTH + 1);
    expect(() => [...readCapture({ name: 'a.har', chunks: [bytes] })]).toThrow('a.har is too long');
  });
});

describe('findCaptures', () => {
  test('a folder -> every capture at any depth, sorted by name', async () => {
    const { folder, write } = useFolder(onTestFinished);
    for (const name of ['b.har', 'a.json', 'README.md', 'deep/c.ndjson']) write(name, '{}');
    const names: string[] = [];
    for await (const { name } of findCaptures([folder])) names.push(name.slice(folder.length + 1));
    expect(names).toEqual(['a.json', 'b.har', 'deep/c.ndjson']);
  });

  test('a device, or a file longer than the maximum string -> rejected unread', async () => {
    const { write } = useFolder(onTestFinished);
    const long = write('a.har', '');
    truncateSync(long, constants.MAX_STRING_LENGTH + 1);
    await expect(findCaptures([long]).next()).rejects.toThrow('a.har is too long');
    const message = '/dev/zero is neither a file nor a folder: pipe it into swapcheck check -';
    await expect(findCaptures(['/dev/zero']).next()).rejects.toThrow(message);
  });

  test('an empty folder -> rejected', async () => {
    const first = findCaptures([useFolder(onTestFinished).folder]).next();
    await expect(first).rejects.toThrow('contains no .json, .ndjson or .har');
  });
});

describe('judgeCaptured', () => {
  const judge = (body: unknown) => judgeCaptured(read('a.json', body), options);

  test('a correct plan -> conforming', async () => {
    const report = await judge(plan);
    expect(report.rules.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    expect(exitCodeOf(report)).toBe(0);
  });

  test('a forbidden status without a body -> fails; one that a proxy or a browser sent -> only counted', async () => {
    const statuses = [200, 307, 403, 304, 407];
    const entries = statuses.map((status) => ({ request: { url }, response: { status } }));
    const report = await judgeCaptured(read('a.har', { log: { entries } }), options);
    expect(report).toMatchObject({ verdict: 'nonconforming', replies: 0, withoutBody: 5 });
    const failed = report.rules.filter(({ outcome }) => outcome === 'fail');
    expect(failed.map(({ id, failures }) => [id, failures.map(({ actual }) => actual)])).toEqual([
      ['endpoint/status', [expect.stringContaining('307'), expect.stringContaining('403')]],
    ]);
  });

  test.each([
    ['7', 1],
    ['0x7', 0],
    ['7e0', 0],
  ])('/tokens for chain %s -> decimals of %i chains are known', async (chainId, chains) => {
    const token = { ...plan.tokens[0], decimals: 17, metadata: { logoURI: 'http://a/b.png' } };
    const lines = [
      {
        url: `http://a/api/v1.0/tokens?chainId=${chainId}&apiKey=${key}`,
        status: 200,
        body: [token],
      },
      { url, status: 200, body: plan },
    ].map((line) => JSON.stringify(line));
    const report = await judgeCaptured(read('a.ndjson', lines.join('\n')), options);
    const rule = report.rules.find(({ id }) => id === 'token/decimals-as-listed');
    expect(rule?.checks ?? 0).toBe(chains);
  });

  test("an echoed key that is a plain word -> removed from the service's text, but not from our words", async () => {
    const line = (body: unknown, status: number) =>
      JSON.stringify({ url: url.replace(key, 'plan'), status, body });
    const lines = [
      line({ ...plan, router: 'plan-x' }, 200),
      line({ error: 'no plan', message: 5 }, 400),
    ];
    const apiKeys = new Set<string>();
    const exchanges = read('a.ndjson', lines.join('\n'), apiKeys);
    const report = await judgeCaptured(exchanges, { ...options, apiKeys });
    const texts = new Map(
      report.rules.flatMap(({ id, failures: [failure], observed }) =>
        failure === undefined
          ? [[id, observed?.map(({ text }) => text).join('; ')]]
          : [[id, `${failure.actual} ${failure.exchange.excerpt}`]],
      ),
    );
    expect(texts.get('swap-response/router-name')).toMatch(/"\$SWAPCHECK_API_KEY-x" \{/);
    expect(texts.get('error/message')).toContain('{"error":"no $SWAPCHECK_API_KEY","message":5}');
    expect(texts.get('error/values-observed')).toBe('400 "no $SWAPCHECK_API_KEY"');
    expect(report.rules.find(({ id }) => id === 'plan/acyclic')?.clauseWords).toMatch(
      /routing plan|graph/,
    );
    expect(
      report.rules
        .flatMap(({ failures }) => failures)
        .map(({ curl }) => curl)
        .join(),
    ).not.toContain('=plan');
  });

  test('an amount off by one -> its rule fails, and the command that repeats the check names the file', async () => {
    const report = await judge({ ...plan, sell: { referenceId: 0, amount: '999' } });
    const failed = report.rules.filter(({ outcome }) => outcome === 'fail');
    expect(failed.map(({ id }) => id)).toEqual(['plan/conserves-sell']);
    expect(failed[0]?.failures[0]?.curl).toBe('swapcheck check a.json');
    expect(exitCodeOf(report)).toBe(1);
  });

  test('lookups in any order -> decimals and sources are checked', async () => {
    const at = (path: string) => `https://a.example/api/v1.0/${path}`;
    const lines = [
      { url, status: 200, body: { ...plan, tokens: wrongDecimals } },
      { url: at('tokens?chainId=7'), status: 200, body: TINY_BODIES.tokens },
      { url, status: 200, body: { ...plan, routes: wrongSource } },
      { url: at('chainInfo?chainId=7'), status: 200, body: TINY_BODIES.chainInfo },
      { url: at('chains'), status: 200, body: TINY_BODIES.chains },
    ];
    for (const ordered of [lines, lines.toReversed()]) {
      const text = ordered.map((line) => JSON.stringify(line)).join('\n');
      const { rules } = await judgeCaptured(read('a.ndjson', text), options);
      const failed = rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
      expect(failed).toEqual(
        expect.arrayContaining(['token/decimals-as-listed', 'route/name-among-sources']),
      );
    }
  });

  test('probes, and rules on missing replies -> do not judge', async () => {
    const kinds = new Map(CATALOG.map(({ id, kind }) => [id, kind]));
    const { rules, notJudged } = await judge(plan);
    expect(new Set(rules.map(({ id }) => kinds.get(id)))).toEqual(new Set(['reply']));
    expect(rules.map(({ id }) => id)).not.toContain('endpoint/answers');
    expect(notJudged.flatMap((each) => each.rules)).toContain('endpoint/answers');
  });

  test('a check that ends early -> incomplete, with the replies judged so far', async () => {
    const ending = new AbortController();
    let times = 0;
    const exchanges = function* () {
      yield* read('a.json', plan);
      // The first pass only collects the lookups; the second pass judges.
      if (++times === 2) ending.abort();
      yield* read('b.json', plan);
    };
    const report = await judgeCaptured(exchanges, { ...options, signal: ending.signal });
    expect(report).toMatchObject({ verdict: 'incomplete', replies: 1 });
  });
});
