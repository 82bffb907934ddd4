import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Programs that npm does not install; only `npm run test:external` needs them. */
const PROGRAMS = {
  chromium: { variable: 'CHROMIUM_BIN', install: 'apt-get install chromium' },
  curl: { variable: 'CURL_BIN', install: 'apt-get install curl' },
  locust: {
    variable: 'LOCUST_BIN',
    install: 'pip install locust, or apt-get install python3-locust',
  },
  mitmdump: { variable: 'MITMDUMP_BIN', install: 'pip install mitmproxy' },
  python3: { variable: 'PYTHON_BIN', install: 'apt-get install python3' },
} as const;

/** Programs whose tests are skipped if they are missing. */
const OPTIONAL_PROGRAMS = {
  go: 'GO_BIN',
  javac: 'JAVAC_BIN',
  k6: 'K6_BIN',
  mvn: 'MVN_BIN',
} as const;

/** Returns the path of an optional program: the value of its variable, else the first on PATH. */
export function findOptionalProgram(name: keyof typeof OPTIONAL_PROGRAMS): string | undefined {
  return candidatesOf(name, OPTIONAL_PROGRAMS[name]).find(isExecutable);
}

/**
 * Returns the path of a program: the value of its variable, else the first on PATH.
 *
 * @throws if it is missing, with instructions to install it: a test must not pass without it.
 */
export function findProgram(name: keyof typeof PROGRAMS): string {
  const { variable, install } = PROGRAMS[name];
  const found = candidatesOf(name, variable).find(isExecutable);
  if (found === undefined) {
    const named = process.env[variable];
    const where = named === undefined ? 'is not on PATH' : `is not at ${named}`;
    throw new Error(`${name} ${where}: ${install}, or set ${variable} to its path.`);
  }
  return found;
}

/** Starts a browser without background requests. */
export function launchBrowser(): Promise<Browser> {
  const quiet = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'];
  const still = ['--disable-background-networking', '--disable-component-update'];
  const args = ['--headless', '--no-sandbox', ...quiet, ...still];
  return chromium.launch({ executablePath: findProgram('chromium'), args });
}

function candidatesOf(name: string, variable: string): readonly string[] {
  const named = process.env[variable];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return named === undefined ? folders.map((folder) => join(folder, name)) : [named];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Called by vitest before the first of these tests: reports all missing programs at once. */
export function setup(): void {
  const missing = Object.keys(PROGRAMS).flatMap((name) => {
    try {
      findProgram(name as keyof typeof PROGRAMS);
      return [];
    } catch (error) {
      return [`  ${error instanceof Error ? error.message : error}`];
    }
  });
  if (missing.length > 0) {
    throw new Error(`These tests need programs that are missing:\n${missing.join('\n')}`);
  }
}
