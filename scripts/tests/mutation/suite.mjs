import { resolve } from 'node:path';
import {
  getState,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import * as chai from 'chai';

/*
 * Replaces vitest in mutation tests, with the features that the tests of checks and rules use.
 * Tests are collected once and run again for each mutant in the same process, because loading the
 * modules again takes a hundred times longer than the tests.
 */

/** @typedef {{ id: string, name: string, fileName: string, run: () => unknown }} CollectedTest */

/** @type {CollectedTest[]} */
export const tests = [];
const path = [];
let file = '';
let currentFile = '';

/** Assigns tests that are collected from now on to this file. */
export function collectInto(fileName) {
  file = fileName;
}

/** Runs one test; rejects with its error if it fails. */
export async function runTest(test) {
  currentFile = test.fileName;
  await test.run();
}

function group(name, body) {
  path.push(name);
  body();
  path.pop();
}

function single(name, optionsOrRun, maybeRun) {
  const run = maybeRun ?? optionsOrRun;
  const fullName = [...path, name].join(' > ');
  tests.push({ id: `${file}#${tests.length} ${fullName}`, name: fullName, fileName: file, run });
}

const eachOf = (add) => (rows) => (name, body) => {
  for (const row of rows) {
    const values = Array.isArray(row) ? row : [row];
    add(`${name} ${String(values[0])}`, () => body(...values));
  }
};

export const describe = Object.assign(group, { each: eachOf(group) });
export const test = Object.assign(single, { each: eachOf(single) });

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect = Object.assign((value, message) => chai.expect(value, message), chai.expect, {
  getState: () => ({ ...getState(expect), testPath: resolve(currentFile) }),
});
setState({ ...getState(expect), assertionCalls: 0 }, expect);
