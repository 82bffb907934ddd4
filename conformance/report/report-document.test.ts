import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import type { Report } from '../model/report.ts';
import { renderMarkdown } from '../output/markdown.ts';
import { renderText } from '../output/text.ts';
import { hostileReport } from './hostile-report.testing.ts';
import { reportDocument } from './report-document.ts';
import {
  reportWithConsequences,
  sampleFailure,
  sampleReport,
  sampleRule,
} from './sample-report.testing.ts';

const asText = (report: Report) => renderText(reportDocument(report));
const asPage = (report: Report) =>
  marked.parse(renderMarkdown(reportDocument(report)), { async: false, gfm: true });

describe('a report as text', () => {
  test('a failure -> rule, clause with its words, Expected, Actual, place, curl line', () => {
    const lines = asText(sampleReport()).split('\n');
    const at = lines.findIndex((line) => line.startsWith('  ✗ swap/token-decimals [must]'));
    expect(lines.slice(at, at + 6)).toEqual([
      '  ✗ swap/token-decimals [must]: decimals is an integer from 0 to 18',
      '    2.3 decimals: Decimal places, 0 to 18',
      '      Expected: an integer from 0 to 18',
      '        Actual: 24',
      '         Where: /tokens/3/decimals',
      '          Seen: 14 times, first in request 31',
    ]);
    expect(lines[at + 7]).toMatch(/^ +Repeat: curl .*\$SWAPCHECK_API_KEY/);
  });

  test('one wrong status in 14 rules -> one block of at most 20 lines', () => {
    const rules = Array.from({ length: 14 }, (_, index) =>
      sampleRule('4.1 rule 6', `swap/rejects-${index}`, 'must', 'fail', 'T', {
        failures: [400, 401].map((id) =>
          sampleFailure({
            symptom: 'status=422',
            data: { status: 422 },
            actual: `status 422, in request ${id}`,
            exchange: { ...sampleFailure().exchange, status: 422, id },
          }),
        ),
      }),
    );
    const text = asText(sampleReport({ rules }));
    const block = text
      .slice(text.indexOf('✗ swap/rejects-0 [must]: T, and 13 more'))
      .split('\n\n')[0];
    expect(block?.split('\n').length).toBeLessThanOrEqual(20);
    expect(block).toContain('\n    swap/rejects-0 [must]: T\n    swap/rejects-1 [must]: T\n');
    expect(block).toContain('\n    and 6 more\n');
    expect(text.match(/Repeat: /g)).toHaveLength(1);
  });

  test('plans executed on forks -> the number that settled', () => {
    const settles = (checks: number, failures = [sampleFailure({ count: 3 })]) =>
      sampleRule('1.2 base units', 'execution/settles', 'must', 'fail', 'T', { checks, failures });
    const textOf = (rule: ReturnType<typeof settles>) => asText(sampleReport({ rules: [rule] }));
    expect(textOf(settles(231))).toContain('Plans settled on forks: 228 of 231\n');
    expect(textOf(settles(231, []))).toContain('Plans settled on forks: 231 of 231\n');
    expect(textOf(settles(0, []))).not.toContain('Plans settled');
  });

  test('every outcome -> a different sign, with rules in the order of the specification', () => {
    const text = asText(sampleReport());
    const order = ['1 rule 1', '2.1 router', '2.3 decimals', '4.1 rule 6', '8 amounts', '10 rates'];
    const places = order.map((clause) => text.search(new RegExp(`^${clause}(?:  |$)`, 'm')));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(text).toContain(
      '\n2 Resources and their fields  2 failed  3 passed  1 waived  1 not applicable\n',
    );
    expect(text).toContain('\n2.3 decimals  Decimal places, 0 to 18\n');
    for (const line of [
      '✓ swap/router-echo: router is the requested router [must, 640 checks]',
      '✗ plan/acyclic: The routes form a directed acyclic graph [must, fail]',
      '~ tokens/logo: logoURI is a URL [should, waived]',
      '! limits/calldata-gas: gasLimit is a decimal string [must, could not run] (every request',
      '- limits/rate: Rate limits [observe, not applicable] (none was met)',
      '· auth/missing-key',
    ]) {
      expect(text).toContain(`\n  ${line}`);
    }
  });

  test('a run -> observations, dust, parts that were not judged, stale waivers, summary, and the verdict last', () => {
    const text = asText(sampleReport());
    expect(text).toContain(
      '5 rule 3  Answer to a missing key: status 401 with error "UNAUTHORIZED"',
    );
    expect(text).toContain('in request 31: 53.9 parts per million (');
    expect(text).toContain(
      'Not judged\n  ! calldata was not executed: 1 rule needs --fork CHAIN=RPC: execution/received\n\nFix first: plan/acyclic: ',
    );
    expect(text).toContain('Stale waiver: swap/router-echo: it no longer matches a failure');
    expect(text).toContain(
      '3120 requests, 3084 replies judged, 36 repeated after a rate limit in 14.2 s',
    );
    expect(text).toMatch(/^Level +Passed +Failed +Waived +Could not run/m);
    expect(text).toMatch(/^must +3 +4 +0 +1 +1 +0$/m);
    expect(text.trimEnd().split('\n').at(-1)).toBe('NONCONFORMING: 4 must rules failed.');
  });

  test('brief -> failures in full, one line per section, why rules could not run, and the verdict last', () => {
    const text = renderText(reportDocument(sampleReport()), { isBrief: true });
    const [opening, unexecuted, rules = '', unrun] = text.split('\n\n');
    expect(unexecuted).toBe('Not judged: calldata was not executed: 1 rule needs --fork CHAIN=RPC');
    expect(opening).toMatch(
      /^Fix first: plan\/acyclic: .*\n {5}Expected: .*\n {7}Actual: .*\nUsual mistake: Paths are/,
    );
    expect(rules.split('\n').slice(1)).toEqual([
      '  ✗ 1 What the service does: 1 failed',
      '  ✗ 2 Resources and their fields: 2 failed, 3 passed, 1 waived, 1 not applicable',
      '  ✗ 4 Endpoints: 2 failed',
      '  · 5 Authentication: 1 observed',
      '  · 7 Errors: 1 observed',
      '  ! 8 Limits: 1 could not run',
      '  - 10: 1 not applicable',
    ]);
    expect(unrun).toBe(
      'Could not run\n  ! every request with calldata was rejected with 429 (1 rule): limits/calldata-gas',
    );
    expect(text).toContain('swap/token-decimals [must]: decimals is an integer from 0 to 18');
    expect(text).not.toContain('Answer to a missing key');
    expect(text.trimEnd().split('\n').at(-1)).toBe('NONCONFORMING: 4 must rules failed.');
  });

  test('failures that follow from another -> listed under it, also in Markdown, and counted', () => {
    const report = reportWithConsequences();
    const text = asText(report);
    const [opening] = text.split('\n\n');
    expect(opening?.split('\n')).toEqual([
      'Fix first: swap/sell-token-echoed: sells the requested token',
      '     Expected: A',
      '       Actual: B',
      expect.stringMatching(/^Usual mistake: `sell.referenceId` is the id/),
      '2 execution failures may follow from this',
    ]);
    expect(text).toContain(
      '    2 execution failures may follow from this\n      execution/settles [must, 12 times]: reverted\n',
    );
    expect(text.match(/✗ execution\/settles \[must\]/g)).toBeNull();
    expect(text).toContain('✗ execution/settles: settles [must, fail]');
    expect(asPage(report)).toContain('<strong>2 execution failures may follow from this</strong>');
    expect(asPage(report)).toMatch(
      /Fix first: swap\/sell-token-echoed<\/b>: sells the requested token<\/p>\s<ul>\s<li><strong>Expected:<\/strong> A<\/li>\s<li><strong>Actual:<\/strong> B<\/li>/,
    );
  });

  test('a conforming run without a fork -> the first line names what was not executed, only in text', () => {
    const why = 'calldata of default-router (`hasEncoder: true`) was not executed';
    const report = sampleReport({
      verdict: 'conforming',
      rules: [sampleRule('1', 'a/b', 'must', 'pass', 'T')],
      notJudged: [{ why, needs: '--fork CHAIN=RPC', rules: ['execution/settles'] }],
    });
    const line = `Not judged: ${why}: 1 rule needs --fork CHAIN=RPC`;
    expect(asText(report).split('\n\n')[0]).toBe(line);
    expect(asText(report).split(line)).toHaveLength(2);
    expect(renderMarkdown(reportDocument(report)).split(why)).toHaveLength(2);
  });

  test('a reply that belongs to another request -> what to fix first names the ignored parameter', () => {
    const belongsTo = { part: 'reply' as const, exchange: 8, target: '/', ignored: ['useRfq'] };
    const failures = [sampleFailure({ expected: 'A', actual: 'B', belongsTo })];
    const rules = [sampleRule('1', 'swap/use-rfq', 'must', 'fail', 'T', { failures })];
    expect(asText(sampleReport({ rules })).split('\n').slice(0, 4)).toEqual([
      'Fix first: swap/use-rfq: T',
      '   Cause: this is the reply of request 8, which differs only in `useRfq`: perhaps the key of a cache lacks it',
      'Expected: A',
      '  Actual: B',
    ]);
  });

  test('a waived cause, or none -> nothing to fix first', () => {
    const waiver = { reason: 'known', expires: '2999-01-01' };
    const waived = sampleRule('1', 'a/b', 'must', 'waived', 'T', {
      failures: [sampleFailure({ waiver })],
    });
    expect(asText(sampleReport({ rules: [waived] }))).not.toContain('Fix first');
    expect(asText(sampleReport({ rules: [] }))).not.toContain('Fix first');
  });

  test('hostile text -> no control character reaches the terminal', () => {
    const text = asText(hostileReport());
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
    expect(text).toContain('\\u{1b}[31m');
  });
});

describe('a report as Markdown', () => {
  test('a report -> verdict, a details block for each failed rule with every failure, the rules collapsed', () => {
    const page = asPage(sampleReport());
    expect(page).toContain('<h2>❌ swapcheck: nonconforming</h2>');
    expect(page.match(/<details><summary>[❌🟡]/gu)).toHaveLength(6);
    const [opening = '', ...details] = page.split('<details>');
    expect(opening.match(/<strong>Expected:/g)).toHaveLength(1);
    expect(details.join('').match(/<strong>Expected:/g)).toHaveLength(6);
    expect(page).toContain('INVALID_PARAMETER');
    expect(page.match(/<code class="language-sh">curl -i/g)).toHaveLength(6);
    expect(page).toContain('<summary>All 14 rules</summary>');
    expect(page).toContain('by section of the specification; the JSON and HTML reports list them');
    expect(page).toContain('<li>❌ 2 Resources and their fields: 2 failed, 3 passed');
  });

  test.each([
    ['of a conforming run', 'pass', {}],
    ['of a service that is down', 'could-not-run', { why: 'no reply: connect ECONNREFUSED' }],
  ] as const)('260 rules %s -> at most 10 kB', (_, outcome, more) => {
    const rules = Array.from({ length: 260 }, (_, at) =>
      sampleRule('4.1 rule 6', `swap/some-rule-${at}`, 'must', outcome, 'does what it must', more),
    );
    const text = renderMarkdown(reportDocument(sampleReport({ rules })));
    expect(Buffer.byteLength(text)).toBeLessThan(10_000);
    expect(text).toContain('260 ');
  });

  test('what the specification leaves open -> folded, and nowhere else', () => {
    const text = renderMarkdown(reportDocument(sampleReport()));
    const fold =
      /<details><summary>What this service does where the specification is silent<\/summary>\n\n([\s\S]*?)\n\n<\/details>/;
    expect(fold.exec(text)?.[1]).toContain('INVALID_PARAMETER (412 times)');
    expect(text.replace(fold, '')).not.toContain('412 times');
  });

  test('a conforming report -> no failures section', () => {
    const rules = [sampleRule('1', 'a/b', 'must', 'pass', 'T')];
    const page = asPage(sampleReport({ verdict: 'conforming', rules }));
    expect(page).toContain('✅ swapcheck: conforming');
    expect(page).not.toContain('Failures');
  });

  test('hostile text -> creates no element, mention, link or list entry', () => {
    const page = asPage(hostileReport());
    expect(page).not.toMatch(/<script|<img|<a |href=|<strong>b|<h1/);
    const text = renderMarkdown(reportDocument(hostileReport()));
    const withoutCode = text.replace(/(`+)[^`].*?\1/gs, '');
    expect(withoutCode).not.toContain('@octocat');
    const [rules = ''] = page.slice(page.indexOf('All 3 rules')).split('</details>');
    expect(rules.match(/<li>/g)).toHaveLength(3);
  });
});
