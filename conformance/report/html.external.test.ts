import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { excessWidth, PHONES, useBrowser } from '../../fixtures/testing/browser.testing.ts';
import { hostileReport } from './hostile-report.testing.ts';
import { write as writeHtml } from './html.ts';
import { reportWithConsequences, sampleReport, sampleRule } from './sample-report.testing.ts';

const [[, PHONE]] = PHONES;
const DESKTOP = { viewport: { width: 1280, height: 900 } };

const { open, browser } = useBrowser(writeHtml);

const shownRules = (page: Page) =>
  page
    .locator('li[data-rule]:visible')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-rule')));

const firstCardOfRule = (page: Page, rule: string) =>
  page.locator(`.failure[data-rules~="${rule}"]`).first();

describe('writeHtml', () => {
  test('a nonconforming report -> verdict, counts, unspecified behavior, dust and timings are shown', async () => {
    await open(sampleReport(), DESKTOP, async (page) => {
      expect(await page.locator('.verdict').textContent()).toMatch(
        /nonconforming\s+4 must rules failed\./i,
      );
      expect(await page.locator('header section:has(> dl)').textContent()).toMatch(
        /^Fix first: plan\/acyclic: .*Expected.*Actual.*Usual mistake/,
      );
      const header = await page.locator('header').textContent();
      expect(header).toContain('36 repeated after a rate limit');
      expect(header).toContain('53.9 parts per million');
      expect(header).toContain('1 rule needs --fork CHAIN=RPC');
      const must = page.locator('.card').first();
      expect(await must.textContent()).toContain('4 failed · 1 could not run · 3 passed');
      const shares = await must
        .locator('rect')
        .evaluateAll((bars) => bars.map((bar) => [bar.className.baseVal, bar.getBBox().width]));
      expect(shares.map(([outcome]) => outcome)).toEqual([
        'fail',
        'could-not-run',
        'pass',
        'not-applicable',
      ]);
      expect(Number(shares[0]?.[1]) / Number(shares[1]?.[1])).toBeCloseTo(4);
      const section = (title: string) =>
        page.locator('section', { has: page.getByRole('heading', { name: title }) }).textContent();
      expect(await section('the specification is silent')).toContain('UNAUTHORIZED');
      expect(await section('Could not run')).toContain('limits/calldata-gas');
      expect(await page.locator('section > .fold > summary').allTextContents()).toContain(
        '2 Resources and their fields  2 failed  3 passed  1 waived  1 not applicable',
      );
      expect(await page.locator('.timings .endpoint').allTextContents()).toEqual([
        'swap',
        'tokens',
        'chains',
        'chainInfo',
      ]);
      const widths = await page
        .locator('.timings g:first-of-type .bar')
        .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('width'))));
      expect(widths).toEqual([...widths].sort((a, b) => a - b));
    });
  });

  test('filters and the search -> matching cards and rows are shown in open sections, and the rest is hidden', async () => {
    await open(sampleReport(), DESKTOP, async (page) => {
      const shownCards = () => page.locator('.failure:visible').count();
      expect(await page.locator('#shown').textContent()).toBe('14 of 14 rules');
      expect(await shownRules(page)).toEqual([]);
      await page.selectOption('[name=verdict]', 'fail');
      expect(await shownRules(page)).toEqual([
        'plan/acyclic',
        'swap/token-decimals',
        'plan/conservation',
        'swap/exactly-one-amount',
        'swap/unknown-router',
      ]);
      await page.selectOption('[name=level]', 'should');
      expect(await shownRules(page)).toEqual(['swap/unknown-router']);
      expect(await shownCards()).toBe(1);
      expect(await page.locator('.fold h3:visible').allTextContents()).toEqual(['4.1 rule 6']);
      await page.selectOption('[name=verdict]', '');
      await page.selectOption('[name=level]', '');
      expect(await page.locator('.fold[open]').count()).toBe(0);
      await page.fill('[name=text]', 'Never BOTH');
      expect(await shownRules(page)).toEqual(['swap/exactly-one-amount']);
      expect(await page.locator('#shown').textContent()).toBe('1 of 14 rules');
      await page.fill('[name=text]', 'nothing like it');
      expect(await shownRules(page)).toEqual([]);
      expect(await shownCards()).toBe(0);
    });
  });

  test('filters -> stored in the address, restored from a link, removed by the back button', async () => {
    await open(sampleReport(), DESKTOP, async (page) => {
      await page.selectOption('[name=verdict]', 'fail');
      await page.locator('[name=text]').pressSequentially('amount');
      expect(new URL(page.url()).hash).toBe('#text=amount&verdict=fail');
      await page.reload();
      expect(await page.locator('[name=text]').inputValue()).toBe('amount');
      expect(await shownRules(page)).toEqual(['swap/exactly-one-amount']);
      await page.goBack();
      expect(await page.locator('[name=text]').inputValue()).toBe('');
      expect((await shownRules(page)).length).toBe(5);
      await page.goBack();
      expect(await page.locator('#shown').textContent()).toBe('14 of 14 rules');
      await page.goForward();
      expect((await shownRules(page)).length).toBe(5);
      await page.evaluate('location.hash = "#level=observe&verdict=nonsense"');
      await expect.poll(() => page.locator('#shown').textContent()).toBe('3 of 14 rules');
      await page.evaluate('location.hash = "#cause-1"');
      await firstCardOfRule(page, 'plan/acyclic').waitFor({ state: 'visible' });
    });
  });

  test('without a script -> all text is readable, and no filter is shown', async () => {
    await open(sampleReport(), { ...DESKTOP, javaScriptEnabled: false }, async (page) => {
      expect(await page.locator('form').isVisible()).toBe(false);
      expect(await page.locator('.failure[open] svg.plan').isVisible()).toBe(true);
      await page.locator('section > .fold > summary').first().click();
      expect(await page.locator('li[data-rule]').first().isVisible()).toBe(true);
    });
  });

  test('a failed rule that follows from another -> the filter and the link lead to the card of its cause', async () => {
    await open(reportWithConsequences(), DESKTOP, async (page) => {
      await page.fill('[name=text]', 'execution/settles');
      const card = page.locator('.failure:visible');
      expect(await card.locator('h3').textContent()).toBe(
        '2 execution failures may follow from this',
      );
      await card.locator('> summary').click();
      await page.locator('li[data-rule="execution/settles"] a').click();
      await card.locator('.items').waitFor({ state: 'visible' });
    });
  });

  test('in print -> every card is open, and nothing is cut off', async () => {
    await open(sampleReport(), { ...DESKTOP, javaScriptEnabled: false }, async (page) => {
      await page.emulateMedia({ media: 'print' });
      const last = page.locator('.failure dd .good').last();
      expect(await last.isVisible()).toBe(true);
      expect(await page.locator('.failure pre').last().isVisible()).toBe(true);
      const cut = await page
        .locator('.failure pre, .drawing')
        .evaluateAll((all) => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length);
      expect(cut).toBe(0);
    });
  });

  test('a click on a failed rule -> opens its failure: parts, curl line, and the plan with a mark at the fault', async () => {
    await open(sampleReport(), DESKTOP, async (page) => {
      const card = firstCardOfRule(page, 'plan/conservation');
      const parts = card.locator('.parts').first();
      expect(await parts.isVisible()).toBe(false);
      await page.locator('section > .fold > summary').nth(1).click();
      await page.locator('li[data-rule="plan/conservation"] a').click();
      await parts.waitFor({ state: 'visible' });
      expect(await card.locator('blockquote').textContent()).toContain('directed acyclic graph');
      const failure = card;
      expect(await failure.locator('dd .good').textContent()).toBe(
        'an outflow equal to the inflow of each token',
      );
      expect(await failure.locator('pre.shell').textContent()).toMatch(
        /^curl .*\$SWAPCHECK_API_KEY/,
      );
      const plan = failure.locator('svg.plan').first();
      expect(await plan.isVisible()).toBe(true);
      expect(await plan.locator('.node').count()).toBe(5);
      expect(await plan.locator('path.edge').count()).toBe(7);
      expect(await plan.locator('path.edge.marked').count()).toBe(1);
      expect(await plan.locator('.label.marked title').textContent()).toContain(
        'routes/3: Sushi V2',
      );
      expect(await plan.locator('.label.marked').textContent()).toContain(
        '1,498.2 DAI→ 1,498.11 USDC',
      );
      expect(await plan.locator('.node.sell').textContent()).toContain('sell 2.5');
      const money = failure.locator('.money svg.plan');
      expect(await money.isVisible()).toBe(true);
      expect(await money.getAttribute('aria-label')).toBe('Who paid whom: 3 payments');
      expect(await money.locator('.node').count()).toBe(4);
      expect(await money.locator('.node.missing').textContent()).toContain('unknown');
      expect(await money.locator('path.edge.circular').count()).toBe(0);
      expect(await money.locator('.label').allTextContents()).toEqual([
        expect.stringContaining('WETH2.5'),
        expect.stringContaining('USDC7,493.12'),
        expect.stringContaining('USDC0.000551'),
      ]);
      expect(await failure.locator('a[href]').first().getAttribute('href')).toBe(
        'evidence/plan-conservation-1.json',
      );
      await failure.locator('figure summary').first().click();
      const amounts = await failure.locator('figure .fold').first().textContent();
      expect(amounts).toContain('1,498.2 DAI 1498200000000000000000');
      await failure.getByRole('button', { name: 'Copy' }).click();
      expect(await page.evaluate('getSelection().toString()')).toMatch(/^curl /);
    });
  });

  test('a leak -> the box of its token is marked and shows the missing amount in both units', async () => {
    const leaking = sampleReport().rules.map((rule) =>
      rule.id === 'plan/conservation' ? { ...rule, failures: rule.failures.slice(1) } : rule,
    );
    await open(sampleReport({ rules: leaking }), DESKTOP, async (page) => {
      const leak = firstCardOfRule(page, 'plan/conservation');
      await leak.locator('> summary').click();
      const lines = leak.locator('svg.plan .node.marked text');
      expect(await lines.allTextContents()).toEqual([
        '✗ DAI',
        'missing 0.080693 DAI',
        '80693000000000000 base units',
        '2 · 0x02bDB…0aa3',
      ]);
      expect(await leak.locator('dd .bad').textContent()).toBe(
        'an outflow of 1,498.2 DAI (1498200000000000000000 base units)',
      );
      expect(await leak.locator('dd pre.json').first().textContent()).toContain('"symbol": "DAI"');
    });
  });

  test('a plan with a cycle -> drawn with dashed swaps; a wrong token -> drawn in a marked box', async () => {
    await open(sampleReport(), DESKTOP, async (page) => {
      const cycle = firstCardOfRule(page, 'plan/acyclic').locator('svg.plan');
      expect(await cycle.locator('path.edge').count()).toBe(4);
      expect(await cycle.locator('path.edge.circular').count()).toBe(2);
      await firstCardOfRule(page, 'swap/token-decimals').locator('> summary').click();
      const marked = firstCardOfRule(page, 'swap/token-decimals').locator('svg.plan .node.marked');
      expect(await marked.locator('text').first().innerHTML()).toBe('✗ WBTC');
    });
  });

  test.each(PHONES)(
    '%s -> no horizontal scrolling of the page, a wide plan scrolls in its frame',
    async (_name, phone) => {
      for (const report of [sampleReport(), hostileReport(), reportWithConsequences()]) {
        await open(report, phone, async (page) => {
          await page.evaluate(
            'for (const one of document.querySelectorAll("details")) one.open = true',
          );
          expect(await excessWidth(page)).toBe(0);
          const plan = page.locator('.drawing').first().locator('svg');
          expect(await plan.count()).toBe(1);
          const { width = 0 } = (await plan.boundingBox()) ?? {};
          expect(width).toBe(Number(await plan.getAttribute('width')));
          expect(width).toBeGreaterThan(phone.viewport.width);
        });
      }
    },
  );

  test('a wide plan on a phone -> its frame scrolls to the marked place', async () => {
    await open(sampleReport(), PHONE, async (page) => {
      await firstCardOfRule(page, 'plan/conservation').locator('> summary').click();
      const label = firstCardOfRule(page, 'plan/conservation')
        .locator('svg.plan .label.marked text')
        .first();
      await expect.poll(async () => (await label.boundingBox())?.x ?? 0).toBeGreaterThan(0);
      const box = await label.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThan(390);
    });
  });

  test('dark mode -> light text on a dark background, in the drawing too', async () => {
    const lightness = (page: Page, selector: string, property: string) =>
      page.evaluate(
        `Math.max(...getComputedStyle(document.querySelector('${selector}')).${property}.match(/\\d+/g).slice(0, 3).map(Number))`,
      );
    await open(sampleReport(), { ...DESKTOP, colorScheme: 'dark' }, async (page) => {
      expect(await lightness(page, 'body', 'backgroundColor')).toBeLessThan(64);
      expect(await lightness(page, 'body', 'color')).toBeGreaterThan(192);
      expect(await lightness(page, '.node.token rect', 'fill')).toBeLessThan(64);
      expect(await lightness(page, '.node.token text', 'fill')).toBeGreaterThan(192);
    });
    await open(sampleReport(), { ...DESKTOP, colorScheme: 'light' }, async (page) => {
      expect(await lightness(page, 'body', 'backgroundColor')).toBeGreaterThan(192);
    });
  });

  test('hostile text everywhere -> shown as text, without a script, image or element', async () => {
    await open(hostileReport(), DESKTOP, async (page) => {
      expect(await page.evaluate('window.pwned')).toBeUndefined();
      expect(await page.locator('script').count()).toBe(1);
      expect(await page.locator('img').count()).toBe(0);
      expect(await page.locator('.failure dd .bad').textContent()).toContain(
        '<script>window.pwned=1</script>',
      );
      expect(await page.locator('figcaption').first().textContent()).toMatch(
        /Not drawn: 999\d\d more routes/,
      );
    });
  });

  test("an injected script -> blocked by the page's policy", async () => {
    const page = await browser().newPage();
    await page.setContent(
      writeHtml(sampleReport()).replace('<footer>', '<script>window.pwned = 1</script><footer>'),
    );
    expect(await page.locator('.verdict').count()).toBe(1);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    await page.close();
  });

  test('a report without failures, timings or observations -> those sections are absent', async () => {
    const { largestDust: _dust, staleWaivers: _stale, ...rest } = sampleReport();
    const rules = [sampleRule('1', 'a/b', 'must', 'pass', 'T')];
    await open(
      { ...rest, verdict: 'conforming', rules, timings: [], notJudged: [] },
      DESKTOP,
      async (page) => {
        expect(await page.locator('h2').allTextContents()).toEqual([
          'All 1 rule  by section of the specification',
        ]);
        expect(await page.locator('.verdict.good').count()).toBe(1);
      },
    );
  });
});
