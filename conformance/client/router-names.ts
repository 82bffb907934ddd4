import type { RouterName } from '../contract/resources.ts';
import type { Exchange, JsonDocument } from './exchange.ts';
import { readQuery } from './request.ts';

/**
 * The service's names for routers, keyed by the specification's names. Empty if the service uses
 * the specification's names. If a router has several names, requests use the first.
 */
export type RouterNames = Readonly<Partial<Record<RouterName, string | readonly string[]>>>;

/**
 * Returns a query, or part of one, with the service's router names.
 *
 * @example
 * toServiceNames('&router=service-router', { 'service-router': 'fast' }) // '&router=fast'
 */
export function toServiceNames(query: string, names: RouterNames): string {
  if (Object.keys(names).length === 0) return query;
  return query.replace(/(?<=[?&])[^&]+/g, (pair) => {
    const [[name, ours] = ['', '']] = readQuery(`?${pair}`);
    const [theirs] = name === 'router' ? namesOf(names[ours as RouterName]) : [];
    return theirs === undefined ? pair : pair.replace(/=.*/, `=${encodeURIComponent(theirs)}`);
  });
}

/**
 * Returns an exchange for the rules, in which the specification's names replace the service's
 * router names.
 */
export function toSpecifiedNames(exchange: Exchange, names: RouterNames): Exchange {
  if (Object.keys(names).length === 0) return exchange;
  const ours = new Map(
    Object.entries(names).flatMap(([name, theirs]) => namesOf(theirs).map((each) => [each, name])),
  );
  const rename = (name: unknown) => (typeof name === 'string' ? ours.get(name) : undefined) ?? name;
  const { outcome, endpoint } = exchange;
  return {
    ...exchange,
    query: exchange.query.map(([name, value]) => [
      name,
      name === 'router' ? String(rename(value)) : value,
    ]),
    outcome:
      outcome.kind === 'reply'
        ? { ...outcome, document: renameIn(outcome.document, endpoint, rename) }
        : outcome,
  };
}

function renameIn(
  document: JsonDocument,
  endpoint: Exchange['endpoint'],
  rename: (name: unknown) => unknown,
): JsonDocument {
  if (document.kind !== 'json') return document;
  const { value } = document;
  if (endpoint === 'swap') return { ...document, value: renameField(value, 'router', rename) };
  if (endpoint !== 'chainInfo') return document;
  const renameAll = (routers: unknown) =>
    Array.isArray(routers)
      ? withoutAliases(routers, rename).map((router) => renameField(router, 'name', rename))
      : routers;
  return { ...document, value: renameField(value, 'routers', renameAll) };
}

function namesOf(theirs: string | readonly string[] = []): readonly string[] {
  return [theirs].flat();
}

/**
 * Omits a router that an earlier entry already lists under another name. Entries with the same name
 * are all kept.
 */
function withoutAliases(
  routers: readonly unknown[],
  rename: (name: unknown) => unknown,
): readonly unknown[] {
  const theirs = new Map<unknown, unknown>();
  return routers.filter((router) => {
    const { name } = (router ?? {}) as { readonly name?: unknown };
    const ours = rename(name);
    if (ours === name) return true;
    if (!theirs.has(ours)) theirs.set(ours, name);
    return theirs.get(ours) === name;
  });
}

function renameField(value: unknown, field: string, rename: (each: unknown) => unknown): unknown {
  const isThere = typeof value === 'object' && value !== null && field in value;
  return isThere ? { ...value, [field]: rename((value as Record<string, unknown>)[field]) } : value;
}
