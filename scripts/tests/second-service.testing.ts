import type { ServerResponse } from 'node:http';
import { intoListener } from '../../conformance/client/into-listener.testing.ts';
import type { Chain, ChainInfo } from '../../conformance/contract/resources.ts';
import { toBase58 } from '../../fixtures/testing/base58.testing.ts';
import { serve } from '../../fixtures/testing/tiny-server.testing.ts';
import { formsMiddleware } from '../../reference/forms/apply-forms.ts';
import { AWKWARD_FORMS } from '../../reference/forms/forms.ts';
import { createApp, type ReferenceOptions } from '../../reference/server/app.ts';

/*
 * A conforming service that differs from the reference in every permitted way. It returns the
 * reference's plans in every awkward form. It also has unusual headers, chunks, pauses, rate
 * limits, and a chain whose addresses are not hex.
 */

/** The accepted key. Its special characters must be encoded in a query. */
export const SECOND_KEY = 'k&y=ü #2+%41';

export type SecondService = {
  readonly url: string;
  /** Number of requests that received a 429. */
  readonly limited: () => number;
  readonly close: () => Promise<void>;
};

const INNER_KEY = 'inner';
/** A copy of the second market, with base58 addresses instead of hex. */
const SOLAR_CHAIN = 792_703_809;
const SOLAR_NAME = 'Solar';
const SOLAR = { chainId: SOLAR_CHAIN, name: SOLAR_NAME, kind: 'svm' };
const INNER_CHAIN = 31_338;
const INNER_NAME = 'Swapcheck Two';
/** One in this many requests receives a 429. */
const LIMIT_EVERY = 900;

/** Starts the service around the given reference, at a free loopback port. */
export async function startSecondService(reference: ReferenceOptions): Promise<SecondService> {
  const middleware = [formsMiddleware(AWKWARD_FORMS)];
  const app = createApp({ ...reference, apiKeys: [INNER_KEY], middleware });
  const inner = intoListener(app.callback());
  const solar = createSolarNames();
  const { signal } = new AbortController();
  let requests = 0;
  let limited = 0;

  const fetchReply = async (path: string, query: URLSearchParams) => {
    query.append('apiKey', INNER_KEY);
    const reply = await inner.send({ method: 'GET', target: `${path}?${query}`, signal });
    if (reply.kind === 'no-reply') throw new Error(reply.message);
    return { status: reply.status, body: JSON.parse(`${reply.body}`) as unknown };
  };
  for (const path of ['/api/v1.0/tokens', '/api/v1.0/chainInfo']) {
    const query = new URLSearchParams({ chainId: String(INNER_CHAIN) });
    solar.learn((await fetchReply(path, query)).body);
  }

  const answer = async (target: string, response: ServerResponse) => {
    requests += 1;
    // Other requests may arrive during the pause.
    const turn = requests;
    await pause(turn % 4);
    if (turn % LIMIT_EVERY === 0) {
      limited += 1;
      response.setHeader('RETRY-AFTER', '1');
      return send(response, 429, { error: 'slow_down', message: 'Too many requests.' });
    }
    const { pathname, searchParams } = new URL(target, 'http://inner.example');
    const keys = searchParams.getAll('apiKey');
    if (keys.length !== 1 || keys[0] !== SECOND_KEY) {
      return send(response, 401, { error: 'unauthorized', message: 'Who are you?', hint: null });
    }
    searchParams.delete('apiKey');
    const isSolar = searchParams.get('chainId') === String(SOLAR_CHAIN);
    if (isSolar) {
      if (searchParams.get('includeCalldata') === 'true') return reject(response, 'no_encoder');
      searchParams.set('chainId', String(INNER_CHAIN));
      for (const side of ['sellToken', 'buyToken']) {
        const address = searchParams.get(side);
        if (address !== null) searchParams.set(side, solar.toHex(address));
      }
    }
    const isAbsentRouter =
      !isSolar &&
      searchParams.get('chainId') === String(INNER_CHAIN) &&
      searchParams.get('router') === 'universal-router';
    if (isAbsentRouter) return reject(response, 'router_not_deployed');
    const { status, body } = await fetchReply(pathname, searchParams);
    if (status !== 200) return send(response, status, body);
    if (pathname.endsWith('/chains')) return send(response, 200, [SOLAR, ...(body as Chain[])]);
    const changed = withoutRouter(pathname, body, searchParams);
    return send(response, 200, isSolar ? solar.rename(changed) : changed);
  };

  const { url, close } = await serve((request, response) => {
    answer(request.url ?? '/', response).catch((error: unknown) => {
      send(response, 500, { error: 'oops', message: String(error) });
    });
  });
  return {
    url,
    limited: () => limited,
    close,
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body, null, 1);
  const middle = text.length >> 1;
  response.writeHead(status, {
    'CONTENT-TYPE': 'Application/JSON;charset="UTF-8"',
    'X-SERVED-BY': 'second',
  });
  response.write(text.slice(0, middle));
  response.end(text.slice(middle));
}

function reject(response: ServerResponse, error: string): void {
  send(response, 400, { error, message: 'Not here.', traceId: 7 });
}

/** Removes a router that is served under another name. */
function withoutRouter(path: string, body: unknown, query: URLSearchParams): unknown {
  if (!path.endsWith('/chainInfo') || query.get('chainId') !== String(INNER_CHAIN)) return body;
  const info = body as ChainInfo;
  return { ...info, routers: info.routers.filter(({ name }) => name !== 'universal-router') };
}

/**
 * Returns functions that convert a chain's hex addresses to base58, and converted addresses back.
 */
function createSolarNames() {
  const hexes = new Map<string, string>();
  const nameOf = (hex: string) => {
    const name = toBase58(hex);
    hexes.set(name, hex);
    return name;
  };
  const rename = (value: unknown): unknown => {
    if (typeof value === 'string') return /^0x[0-9a-f]{40}$/i.test(value) ? nameOf(value) : value;
    if (Array.isArray(value)) return value.map(rename);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => {
        if (key === 'chainId') return [key, SOLAR_CHAIN];
        if (key === 'hasEncoder') return [key, false];
        if (each === INNER_NAME) return [key, SOLAR_NAME];
        return [key, rename(each)];
      }),
    );
  };
  return {
    rename,
    learn: (body: unknown) => void rename(body),
    toHex: (name: string) => hexes.get(name) ?? name,
  };
}
