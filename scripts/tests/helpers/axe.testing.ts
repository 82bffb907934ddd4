import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns the accessibility violations that axe finds with all details open. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  );
}
