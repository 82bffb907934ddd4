import { describe, expect, test } from 'vitest';
import { OWN_CLAUSE } from '../model/rule.ts';
import { hostileReport } from './hostile-report.testing.ts';
import { write as writeHtml } from './html.ts';
import {
  reportWithConsequences,
  sampleFailure,
  sampleReport,
  sampleRule,
} from './sample-report.testing.ts';

describe('writeHtml', () => {
  test('hostile text and 100,000 routes -> the text adds no element, and the size of the page is bounded', () => {
    const page = writeHtml(hostileReport());
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain('<img');
    expect(page).toContain('&lt;script&gt;window.pwned=1');
    expect(Buffer.byteLength(page)).toBeLessThan(200_000);
  });

  test('a thousand causes with plans -> a page of a few megabytes, with the number of omitted causes', () => {
    const [failing] = sampleReport().rules;
    const rules = Array.from({ length: 1000 }, (_, index) =>
      sampleRule('1', `a/${index}`, 'must', 'fail', 'T', {
        failures: [sampleFailure({ ...failing?.failures[0], symptom: String(index) })],
      }),
    );
    const page = writeHtml(sampleReport({ rules }));
    expect(page.match(/<details class="failure/g)).toHaveLength(300);
    expect(page).toContain('700 more causes are in the JSON report.');
    expect(Buffer.byteLength(page)).toBeLessThan(2_000_000);
  });

  test('failures that follow from another -> opens with what to fix first, and the card counts and links their rule', () => {
    const page = writeHtml(reportWithConsequences());
    const [header = '', main = ''] = page.slice(page.indexOf('<body>')).split('</header>');
    expect(header).toMatch(
      /<p><b>Fix first: swap\/sell-token-echoed<\/b>: sells the requested token<\/p><dl class="parts"><dt>Expected<\/dt><dd><span class="good">A<\/span><\/dd><dt>Actual<\/dt><dd><span class="bad">B<\/span><\/dd><dt>Usual mistake<\/dt><dd><code>sell\.referenceId<\/code> .*<p>2 execution failures may follow from this<\/p>/,
    );
    expect(main).toContain('Failures<span class="dim">  1 cause, 2 rules</span>');
    expect(main).toContain('data-rules="swap/sell-token-echoed execution/settles"');
    expect(main).toContain(
      '<h3>2 execution failures may follow from this</h3><ul class="items"><li>execution/settles [must, 12 times]: reverted</li></ul>',
    );
    expect(main).toContain('<a href="#cause-1">execution/settles: settles [must, fail]</a>');
  });

  test('hostile text -> inert in what to fix first; without a pending failure, the page has no such section', () => {
    const [header = ''] = writeHtml(hostileReport()).split('</header>');
    expect(header).toMatch(
      /Fix first: plan\/hostile<\/b>.*<dt>Actual<\/dt><dd><span class="bad">[^<]*&lt;script&gt;window/,
    );
    const rules = [sampleRule('1', 'a/b', 'must', 'pass', 'T')];
    expect(writeHtml(sampleReport({ rules }))).not.toContain('Fix first');
  });

  test('a failed rule -> explained; a custom rule -> not explained', () => {
    const page = writeHtml(sampleReport());
    expect(page).toContain('<code>swapcheck explain plan/acyclic</code>');
    expect(page).toContain('<summary>Why it matters</summary>');
    const failures = [sampleFailure()];
    const own = sampleRule(OWN_CLAUSE, 'own/a', 'must', 'fail', 'T', { failures });
    expect(writeHtml(sampleReport({ rules: [own] }))).not.toContain('Explain');
  });

  test('a reply -> indented, with numbers as sent and a mark at the failing value', () => {
    const failure = sampleFailure({
      pointer: '/nativeTokenUsdPrice',
      exchange: {
        ...sampleFailure().exchange,
        excerpt: '{"router":"<b>","nativeTokenUsdPrice":1e400,"tokens":[',
      },
    });
    const page = writeHtml(
      sampleReport({
        rules: [sampleRule('1', 'a/b', 'must', 'fail', 'T', { failures: [failure] })],
      }),
    );
    expect(page).toContain(`{
  <b>&quot;router&quot;</b>: &quot;&lt;b&gt;&quot;,
  <b>&quot;nativeTokenUsdPrice&quot;</b>: <mark><i>1e400</i></mark>,
  <b>&quot;tokens&quot;</b>: [`);
  });
});
