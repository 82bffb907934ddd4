import { afterEach, expect, test, vi } from 'vitest';
import { intoListener } from '../../conformance/client/into-listener.testing.ts';
import * as names from '../../conformance/contract/names.ts';
import * as paths from '../../conformance/contract/paths.ts';
import { loadEmbeddedMarkets } from '../../reference/market/embedded-markets.ts';
import { createApp } from '../../reference/server/app.ts';

/*
 * The reference and the judge each declare their own constants. If a constant of the judge changes,
 * the judge must not find the reference conforming.
 */

const NAMES = '../../conformance/contract/names.ts';
const PATHS = '../../conformance/contract/paths.ts';

const markets = loadEmbeddedMarkets().filter(({ chainId }) => chainId === 31338);
const transport = intoListener(createApp({ markets, maxQueued: 4096 }).callback());

afterEach(() => {
  vi.doUnmock(NAMES);
  vi.doUnmock(PATHS);
  vi.resetModules();
});

async function verdictOfJudge() {
  vi.resetModules();
  const [{ openService }, { CATALOG }, { runRules }] = await Promise.all([
    import('../../conformance/discovery/open-service.ts'),
    import('../../conformance/rules/catalog.ts'),
    import('../../conformance/runner/run.ts'),
  ]);
  const service = openService({ transport, apiKey: 'demo' });
  const report = await runRules({
    ...{ service, rules: CATALOG, profile: 'quick', bail: true },
    target: 'x',
  });
  return report.verdict;
}

function changed(text: string): string {
  return `${text.slice(0, -1)}${text.endsWith('1') ? '2' : '1'}`;
}

function withPath(endpoint: paths.Endpoint) {
  const PATHS = { ...paths.PATHS, [endpoint]: changed(paths.PATHS[endpoint]) };
  return {
    ...paths,
    PATHS,
    endpointOf: (path: string) => paths.ENDPOINTS.find((each) => PATHS[each] === path),
  };
}

function withPrefix() {
  const API_PREFIX = changed(paths.API_PREFIX);
  const PATHS = Object.fromEntries(
    paths.ENDPOINTS.map((endpoint) => [endpoint, `${API_PREFIX}/${endpoint}`]),
  ) as Record<paths.Endpoint, string>;
  return {
    ...paths,
    API_PREFIX,
    PATHS,
    endpointOf: (path: string) => paths.ENDPOINTS.find((each) => PATHS[each] === path),
  };
}

function withAlias(at: number) {
  const NATIVE_ALIASES = names.NATIVE_ALIASES.map((alias, index) =>
    index === at ? changed(alias) : alias,
  );
  return {
    ...names,
    NATIVE_ALIASES,
    isNative: (address: string) => NATIVE_ALIASES.includes(address.toLowerCase()),
  };
}

function withRouter(at: number) {
  const ROUTER_NAMES = names.ROUTER_NAMES.map((name, index) =>
    index === at ? changed(name) : name,
  );
  return { ...names, ROUTER_NAMES };
}

test.each<[string, string, () => object]>([
  ['API_PREFIX', PATHS, withPrefix],
  ...paths.ENDPOINTS.map((endpoint): [string, string, () => object] => [
    `PATHS.${endpoint}`,
    PATHS,
    () => withPath(endpoint),
  ]),
  ...names.NATIVE_ALIASES.map((alias, at): [string, string, () => object] => [
    alias,
    NAMES,
    () => withAlias(at),
  ]),
  ...names.ROUTER_NAMES.map((name, at): [string, string, () => object] => [
    name,
    NAMES,
    () => withRouter(at),
  ]),
])('%s changed -> the reference fails', async (_, module, change) => {
  vi.doMock(module, change);
  expect(await verdictOfJudge()).not.toBe('conforming');
});
