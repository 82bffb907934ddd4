import { expect, test } from 'vitest';
import { PATHS } from '../contract/paths.ts';
import { routerNameOption } from './access-options.ts';
import { createClient } from './client.ts';
import { inProcess } from './in-process.testing.ts';
import { type RouterNames, toServiceNames } from './router-names.ts';

const NAMES = { 'service-router': 'fast & new', 'default-router': 'old' } as const;

async function request(path: string, router: string, body: unknown, names: RouterNames = NAMES) {
  const urls: URL[] = [];
  const transport = inProcess((url) => {
    urls.push(url);
    return { body };
  });
  const client = createClient({ transport, apiKey: 'key', routerNames: names });
  const target = { path, query: [['router', router]] } as const;
  const exchange = await client.send(target, new AbortController().signal);
  const { query, outcome, target: shown } = exchange;
  const document = outcome.kind === 'reply' ? outcome.document : undefined;
  return { requested: urls[0]?.searchParams.get('router'), shown, query: query[0], document };
}

test("a request that names a router -> sent with the service's name, and recorded with ours", async () => {
  expect(await request(PATHS.swap, 'service-router', { router: 'fast & new', routes: [] })).toEqual(
    {
      requested: 'fast & new',
      shown: expect.stringContaining('router=fast%20%26%20new'),
      query: ['router', 'service-router'],
      document: {
        kind: 'json',
        value: { router: 'service-router', routes: [] },
        duplicateKeys: [],
      },
    },
  );
});

test("a percent-encoded router -> also sent with the service's own name", () => {
  const written = '/swap?a=1&%72outer=%73ervice-router&apiKey=router%3Dservice-router';
  expect(toServiceNames(written, NAMES)).toBe(
    '/swap?a=1&%72outer=fast%20%26%20new&apiKey=router%3Dservice-router',
  );
});

test('/chainInfo -> routers have our names, and other names are unchanged', async () => {
  const routers = ['old', 'universal-router', 'odd', 7].map((name) => ({ name }));
  const { document } = await request(PATHS.chainInfo, 'none', { chainId: 1, routers });
  const ours = ['default-router', 'universal-router', 'odd', 7].map((name) => ({ name }));
  expect(document).toMatchObject({ value: { chainId: 1, routers: ours } });
});

test('several names for one router -> requests use the first; all are read as ours, and listed once', async () => {
  const parse = routerNameOption().parseArg;
  let names: RouterNames | undefined;
  for (const name of ['A', 'B', 'C']) {
    names = parse?.(`default-router=${name}`, names as never) as never;
  }
  expect(names).toEqual({ 'default-router': ['A', 'B', 'C'] });
  const routers = ['B', 'odd', 'A', 'B', 'odd'].map((name) => ({ name }));
  const { requested, document } = await request(
    PATHS.chainInfo,
    'default-router',
    { routers },
    names,
  );
  expect(requested).toBe('A');
  const ours = ['default-router', 'odd', 'default-router', 'odd'].map((name) => ({ name }));
  expect(document).toMatchObject({ value: { routers: ours } });
});

test.each([
  ['service-router=A=B', { 'service-router': ['A=B'] }],
  ['other=A', /^Expected OURS=THEIRS/],
  ['service-router=', /^Expected OURS=THEIRS/],
])('--router-name %s -> %o', (text, expected) => {
  const parse = () => routerNameOption().parseArg?.(text, undefined);
  if (expected instanceof RegExp) expect(parse).toThrow(expected);
  else expect(parse()).toEqual(expected);
});
