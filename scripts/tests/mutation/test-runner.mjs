import { register } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commonTokens, declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { glob } from 'tinyglobby';
import { collectInto, runTest, tests } from './suite.mjs';

/** A test runner for Stryker that switches mutants in one process, without loading the modules again. */
class InProcessTestRunner {
  static inject = [commonTokens.options];

  constructor(options) {
    this.patterns = options.inProcess.testFiles;
    this.state = globalThis.__stryker__ ?? {};
    globalThis.__stryker__ = this.state;
  }

  /** For static mutants, which need the modules loaded again, Stryker starts another process. */
  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    const { register: registerTypeScript } = await import('tsx/esm/api');
    registerTypeScript();
    register('./resolve-vitest.mjs', import.meta.url);
  }

  /** Tests are collected on the first run, when a static mutant is already active. */
  async collect() {
    if (tests.length > 0) return;
    for (const file of (await glob(this.patterns)).sort()) {
      collectInto(file);
      await import(pathToFileURL(resolve(file)).href);
    }
  }

  async dryRun() {
    await this.collect();
    const results = [];
    for (const test of tests) results.push(await this.runOne(test));
    const { mutantCoverage } = this.state;
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, disableBail, mutantActivation }) {
    if (mutantActivation === 'static') throw new Error('static mutants must be ignored');
    await this.collect();
    Object.assign(this.state, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    const wanted = testFilter && new Set(testFilter);
    const results = [];
    try {
      for (const test of tests.filter(({ id }) => !wanted || wanted.has(id))) {
        const result = await this.runOne(test);
        results.push(result);
        if (result.status === TestStatus.Failed && !disableBail) break;
      }
    } finally {
      this.state.activeMutant = undefined;
    }
    const endless = determineHitLimitReached(this.state.hitCount, hitLimit);
    return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests: results });
  }

  async runOne(test) {
    const { id, name, fileName } = test;
    const start = performance.now();
    this.state.currentTestId = id;
    const result = { id, name, fileName };
    try {
      await runTest(test);
      return { ...result, status: TestStatus.Success, timeSpentMs: performance.now() - start };
    } catch (error) {
      const failureMessage = error instanceof Error ? error.message : String(error);
      const timeSpentMs = performance.now() - start;
      return { ...result, status: TestStatus.Failed, failureMessage, timeSpentMs };
    } finally {
      this.state.currentTestId = undefined;
    }
  }
}

export const strykerValidationSchema = {
  properties: {
    inProcess: {
      type: 'object',
      properties: { testFiles: { type: 'array', items: { type: 'string' } } },
      required: ['testFiles'],
    },
  },
};

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessTestRunner),
];
