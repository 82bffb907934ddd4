import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { XMLParser } from 'fast-xml-parser';
import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import { junitFaults } from '../../conformance/output/junit-schema.testing.ts';
import { renderMarkdown } from '../../conformance/output/markdown.ts';
import { renderText } from '../../conformance/output/text.ts';
import type { LoadResult } from '../model/load-result.ts';
import { writeProfile } from '../profiles/write-profile.ts';
import {
  hostileResult,
  notStartedSample,
  sampleResult,
  searchResult,
} from '../result/sample-result.testing.ts';
import { write as writeLoadHtml } from './html.ts';
import { write as writeLoadJunit } from './junit.ts';
import { loadDocument } from './load-document.ts';

test('any result, as JSON -> valid against the published schema; invalid without its verdict', () => {
  const url = new URL('../../docs/load-result.schema.json', import.meta.url);
  const validate = new Ajv2020().compile(JSON.parse(readFileSync(url, 'utf8')));
  for (const result of [sampleResult(), hostileResult(), searchResult(), notStartedSample()]) {
    expect(validate(JSON.parse(JSON.stringify(result))), result.reason).toBe(true);
  }
  const { verdict: _verdict, ...rest } = sampleResult();
  expect(validate(rest)).toBe(false);
});

describe('loadDocument', () => {
  const asText = (result: LoadResult) => renderText(loadDocument(result));

  test('a run that passed -> metrics by endpoint, thresholds, verdict', () => {
    const text = asText(sampleResult());
    expect(text).toMatch(/^swap calldata +\d+(?: +[\d.()]+){6} +0$/m);
    expect(text).toContain('✓ errors 0% (at most 0.10%)');
    expect(text).toContain('200.0 of 200.0 requests per second');
    expect(text.trimEnd()).toMatch(/PASSED: all 4 thresholds held$/);
  });

  test('requests that were sent again -> on a separate line, and not an error', () => {
    const line = /Sent again(:? +|<\/dt><dd>)3 requests on a new connection/;
    expect(asText(sampleResult())).toMatch(line);
    expect(writeLoadHtml(sampleResult())).toMatch(line);
    expect(asText({ ...sampleResult(), sentAgain: 0 })).not.toContain('Sent again');
  });

  test('replies held back by a delayed acknowledgment -> the advice is next to the rate', () => {
    const result = sampleResult();
    const held = (target: string) =>
      asText({
        ...result,
        target,
        endpoints: result.endpoints.map((each) => ({
          ...{ ...each, requests: 500 },
          serviceMs: { ...each.serviceMs, p50: 44, p99: 47 },
        })),
      });
    expect(held('http://127.0.0.1:8080')).toContain('or set TCP_NODELAY');
    expect(held('https://swap.example.org')).not.toContain('TCP_NODELAY');
  });

  test('a search -> each rate with its outcome and the reason', () => {
    const text = asText(searchResult());
    expect(text).toMatch(/^✓ +100\/s +100\.0\/s +[\d.]+ +[\d.]+ +\d+$/m);
    expect(text).toMatch(/^✗ +200\/s .* {2}p99 of all requests is 300 ms/m);
    expect(text).toMatch(/^! +200\/s .* {2}the client fell behind/m);
  });

  test('wrong replies and lost requests -> named, without terminal control characters', () => {
    const text = asText(hostileResult());
    expect(text).toContain('swap/conservation: 3 of 400 judged, first at 4 s');
    expect(text).toMatch(/timeout \(\d+\)/);
    expect(text).not.toContain('\u0000');
    expect(text).toContain('Omitted: swap rfq');
  });

  test('text from a service, as Markdown -> escaped', () => {
    const html = marked(renderMarkdown(loadDocument(hostileResult())), { async: false });
    expect(html).toContain('❌ Load steady: failed');
    expect(html).toContain('<td>swap calldata</td>');
    expect(html).not.toMatch(/<script|<img|<b>(?!swapcheck|1\.1)/);
  });
});

describe('writeLoadJunit', () => {
  test('any result -> valid against the JUnit schema', () => {
    for (const result of [sampleResult(), hostileResult(), searchResult(), notStartedSample()]) {
      expect(junitFaults(writeLoadJunit(result))).toEqual([]);
    }
  });

  test('crossed thresholds and broken rules -> failures; an incomplete run -> an error', () => {
    const parser = new XMLParser({ ignoreAttributes: false });
    const cases = (result: LoadResult): Record<string, unknown>[] =>
      parser.parse(writeLoadJunit(result)).testsuites.testsuite.testcase;
    const failed = cases(hostileResult()).filter((each) => 'failure' in each);
    expect(failed.map((each) => each['@_name'])).toEqual([
      'wrong at most 0',
      'errors at most 0.10%',
      'p99 at most 400 ms',
      'swap/conservation',
    ]);
    expect(cases(sampleResult()).filter((each) => 'failure' in each || 'error' in each)).toEqual(
      [],
    );
    const [run] = cases({ ...sampleResult(), verdict: 'incomplete', reason: 'ended early' });
    expect(run).toHaveProperty('error');
  });
});

test('a threshold that could not be measured -> not a failure in any format', () => {
  const nothing = notStartedSample();
  expect(nothing.thresholds.every(({ actual }) => actual === undefined)).toBe(true);
  expect(renderText(loadDocument(nothing))).toMatch(
    /^ *! errors of all requests was not measured/m,
  );
  expect(renderMarkdown(loadDocument(nothing))).not.toContain('❌');
  expect(writeLoadJunit(nothing)).not.toContain('<failure');
  expect(writeLoadJunit(nothing).match(/<skipped /g)).toHaveLength(nothing.thresholds.length);
  expect(writeLoadJunit(nothing).match(/<error /g)).toHaveLength(1);
});

describe('writeLoadHtml', () => {
  test('text from a service -> escaped', () => {
    const html = writeLoadHtml(hostileResult());
    expect(html).toContain('token 2 keeps 14 base units &lt;/script&gt;');
    expect(html).not.toMatch(/<script>alert|<img/);
  });

  test('the resolved profile -> a YAML file that repeats the run', () => {
    const result = searchResult();
    const [whole = ''] = /<pre class="whole">[^<]*<\/pre>/.exec(writeLoadHtml(result)) ?? [];
    const parser = new XMLParser({ trimValues: false, htmlEntities: true });
    expect(parser.parse(whole).pre).toBe(writeProfile(result.profile));
  });
});
