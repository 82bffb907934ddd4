import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OwnRule } from '../library/define-rule.ts';
import { OwnRuleError, readOwnRules } from '../library/own-rules.ts';
import type { Rule } from '../model/rule.ts';
import { UsageError } from '../output/usage-error.ts';
import type { JudgingSettings } from '../runner/run-options.ts';
import { selectRules, UnknownRuleError } from '../runner/select-rules.ts';

/**
 * Returns the rules that modules export: a rule or a list of rules as `rules` or `default`, or
 * otherwise all named exports.
 *
 * @throws {UsageError} naming the file and the fault.
 */
export async function readRules(paths: readonly string[] = []): Promise<readonly OwnRule[]> {
  const files = await Promise.all(
    paths.map(async (path) => ({ path, rules: exportedRules(path, await load(path)) })),
  );
  for (const { path, rules } of files) orReject(path, () => readOwnRules(rules));
  const all = files.flatMap(({ rules }) => rules);
  orReject(paths.join(' and '), () => readOwnRules(all));
  return all as readonly OwnRule[];
}

/** @throws {UsageError} if a name of `--only` matches no rule. */
export function checkSelection(
  { only, level }: Pick<JudgingSettings, 'only' | 'level'>,
  rules: readonly Rule[],
): void {
  try {
    selectRules(rules, { only, level });
  } catch (error) {
    throw error instanceof UnknownRuleError ? new UsageError(`--only: ${error.message}`) : error;
  }
}

function orReject<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof OwnRuleError)) throw cause;
    throw usageError(path, cause.message, cause);
  }
}

function exportedRules(
  path: string,
  exported: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const { rules, default: whole, ...others } = exported;
  const found = [rules ?? whole ?? Object.values(others)].flat(2);
  if (found.length > 0) return found;
  throw usageError(path, 'exports no rule: expected `export const rules = [defineRule({ ... })]`');
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    // Reading a pipe would wait for its writer.
    if (!statSync(path).isFile()) throw new Error('it is not a regular file');
    return await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    throw usageError(path, whyNotLoaded(cause, path), cause);
  }
}

function whyNotLoaded(cause: unknown, path: string): string {
  const { code = '', message = String(cause), stack = '' } = cause as NodeJS.ErrnoException;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts$/.test(path)) {
    return `Node ${process.versions.node} does not read TypeScript: use Node 22.18 or later, or JavaScript (.mjs)`;
  }
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'swapcheck'")) {
    return 'cannot import swapcheck: install it next to the file (npm install --save-dev swapcheck), or omit defineRule, which only checks types';
  }
  if (code === 'ENOENT') return 'cannot be read (ENOENT)';
  const line = cause instanceof SyntaxError ? /:(\d+)$/m.exec(stack.split('\n', 1)[0] ?? '') : null;
  return `cannot be loaded: ${message.split('\n', 1)[0]}${line === null ? '' : ` (line ${line[1]})`}`;
}

function usageError(path: string, what: string, cause?: unknown): UsageError {
  return new UsageError(`--rules ${path}: ${what}`, { cause });
}
