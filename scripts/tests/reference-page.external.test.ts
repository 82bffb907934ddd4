import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOf } from '../../fixtures/testing/axe.testing.ts';
import { useBrowser } from '../../fixtures/testing/browser.testing.ts';
import { type RunningReference, startReference } from '../../reference/server/app.ts';
import { pageFiles } from '../cli/reference-page.ts';

const { visit } = useBrowser();
const services: RunningReference[] = [];
let open: RunningReference;
let locked: RunningReference;

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build/bundle-dist.mjs', 'dist']);
  const files = pageFiles();
  open = await startReference({ files });
  locked = await startReference({ files, apiKeys: ['s3cret key'] });
  services.push(open, locked);
});
afterAll(async () => {
  await Promise.all(services.map(({ close }) => close()));
});

const DESKTOP = { viewport: { width: 1280, height: 900 } };

describe('the page of serve', () => {
  test('the opened page -> draws a trade of the native token for the USD token, with its cost and decoded calldata', async () => {
    await visit(`${open.url}/`, DESKTOP, async (tab) => {
      await tab.locator('.plan .node').first().waitFor();
      await tab.getByText('Price impact').waitFor();
      expect(await tab.locator('#result h2').first().textContent()).toMatch(
        /^10 WETH \(native\) → [\d,.]+ USD/,
      );
      expect(await tab.locator('.call').textContent()).toContain('sellExactly');
      const curl = await tab.locator('#curl').textContent();
      expect(curl).toContain('$SWAPCHECK_API_KEY');
      expect(curl).not.toContain('demo');
    });
  });

  test('a new amount, typed with only the keyboard -> its plan is shown after Enter, and the URL contains the amount', async () => {
    await visit(`${open.url}/`, DESKTOP, async (tab) => {
      await tab.locator('.plan').waitFor();
      await tab.keyboard.press('Tab');
      const focused = () => tab.evaluate('document.activeElement.id');
      for (let at = 0; at < 12 && (await focused()) !== 'amount'; at++)
        await tab.keyboard.press('Tab');
      expect(await focused()).toBe('amount');
      await tab.keyboard.press('Control+A');
      await tab.keyboard.type('25');
      await tab.keyboard.press('Enter');
      await tab.getByRole('heading', { name: /^25 WETH/ }).waitFor();
      expect(tab.url()).toContain('amount=25');
      await tab.reload();
      await tab.getByRole('heading', { name: /^25 WETH/ }).waitFor();
    });
  });

  test('invalid and rejected values -> a message at the invalid field', async () => {
    await visit(`${open.url}/`, DESKTOP, async (tab) => {
      await tab.locator('.plan').waitFor();
      await tab.fill('#amount', '-3');
      await tab.keyboard.press('Enter');
      await tab.getByText('An amount is a number above zero').waitFor();
      expect(await tab.locator('[aria-invalid]').getAttribute('id')).toBe('amount');
      await tab.fill('#amount', '10');
      await tab.locator('summary', { hasText: 'Transaction' }).click();
      await tab.fill('#recipientAddress', '0x12');
      await tab.keyboard.press('Enter');
      await tab.getByText("Parameter 'recipientAddress'").waitFor();
      expect(await tab.locator('[aria-invalid]').getAttribute('id')).toBe('recipientAddress');
      expect(await tab.locator('.plan').count()).toBe(0);
    });
  });

  test('exact output of a token given by address, through the Universal Router -> a plan', async () => {
    await visit(`${open.url}/`, DESKTOP, async (tab) => {
      await tab.locator('.plan').waitFor();
      const usd = await tab.locator('#buyToken').inputValue();
      await tab.selectOption('#buyToken', 'other');
      await tab.fill('#buyOther', usd.toLowerCase());
      await tab.selectOption('#side', 'buyAmount');
      await tab.fill('#amount', '5000');
      await tab.selectOption('#router', 'universal-router');
      await tab.getByRole('heading', { name: /→ 5,000 USD/ }).waitFor();
      await tab.getByText('execute(commands').waitFor();
    });
  });

  test('a service with custom keys -> prompts for a key, and stores it neither in the address nor in the browser', async () => {
    await visit(`${locked.url}/`, DESKTOP, async (tab) => {
      await tab.getByLabel('Key').waitFor();
      await tab.fill('#apiKey', 'wrong');
      await tab.keyboard.press('Enter');
      await tab.getByText('UNKNOWN_API_KEY').waitFor();
      await tab.fill('#apiKey', 's3cret key');
      await tab.keyboard.press('Enter');
      await tab.locator('.plan').waitFor();
      expect(await tab.locator('#keyField').isVisible()).toBe(false);
      expect(decodeURIComponent(tab.url())).not.toContain('s3cret');
      expect(await tab.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
      expect(await tab.content()).not.toContain('s3cret');
    });
  });

  test.each(
    [390, 1280].flatMap((width) =>
      (['light', 'dark'] as const).map((theme) => [width, theme] as const),
    ),
  )(
    '%i px, %s -> axe finds nothing, and only the drawing scrolls sideways',
    async (width, colorScheme) => {
      await visit(
        `${open.url}/`,
        { viewport: { width, height: 844 }, colorScheme },
        async (tab) => {
          await tab.getByText('Price impact').waitFor();
          expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(width);
          expect(await faultsOf(tab)).toEqual([]);
        },
      );
    },
  );
});
