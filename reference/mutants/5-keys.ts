import type { Middleware } from 'koa';
import type { Bodies } from './alter-reply.ts';
import { readLeniently } from './alter-request.ts';
import type { Mutant } from './mutant.ts';

/** A key of the service, as `createApp` has it by default. */
const KEY = 'demo';

function keylessMutant(operation: keyof Bodies, rule: string, clause: string): Mutant {
  return {
    id: `${rule}/answers-without-a-key`,
    clause,
    caughtBy: `${rule}/key-required`,
    title: `/${operation} answers without a key`,
    middleware: () => readLeniently(operation, 'apiKey', (key) => key ?? KEY),
  };
}

function withHeader(name: string, value: string): () => Middleware {
  return () => async (ctx, next) => {
    await next();
    ctx.set(name, value);
  };
}

/** @see Specification 5 */
export const keyMutants: readonly Mutant[] = [
  keylessMutant('swap', 'swap', '4.1 apiKey'),
  keylessMutant('tokens', 'tokens', '4.2 apiKey'),
  keylessMutant('chains', 'chains', '4.3 apiKey'),
  keylessMutant('chainInfo', 'chain-info', '4.4 apiKey'),
  {
    id: 'swap/answers-an-empty-key',
    clause: '4.1 apiKey',
    caughtBy: 'swap/key-required',
    title: '/swap answers where the key is there and empty',
    middleware: () => readLeniently('swap', 'apiKey', (key) => (key === '' ? KEY : undefined)),
  },
  {
    id: 'keys/asks-for-more',
    clause: '5.1 apiKey',
    caughtBy: 'keys/key-is-enough',
    title: 'every reply asks for a further credential',
    middleware: withHeader('WWW-Authenticate', 'Bearer'),
  },
];
