/**
 * The page's script: filters and search over the rules, a link to a failure
 * opens it, a button copies a curl line. It makes no markup and sends nothing;
 * without it the page still shows everything.
 */
export const SCRIPT = `
(() => {
  'use strict';
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const search = one('#search'), outcome = one('#outcome'), level = one('#level');
  const rows = all('tr[data-rule]').map((row) => ({ row, text: row.dataset.text.toLowerCase() }));

  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const { row, text } of rows) {
      const match = words.every((word) => text.includes(word)) &&
        (outcome.value === '' || row.dataset.outcome === outcome.value) &&
        (level.value === '' || row.dataset.level === level.value);
      row.hidden = !match;
      if (match) shown += 1;
    }
    for (const head of all('tr.clause')) {
      let row = head.nextElementSibling;
      while (row && row.hidden && !row.classList.contains('clause')) row = row.nextElementSibling;
      head.hidden = !row || row.classList.contains('clause');
    }
    one('#shown').textContent = shown + ' of ' + rows.length + ' rules';
  };
  search.addEventListener('input', filter);
  outcome.addEventListener('change', filter);
  level.addEventListener('change', filter);
  filter();

  const centre = (details) => {
    for (const drawing of details.querySelectorAll('.drawing')) {
      const plan = [...drawing.querySelectorAll('svg')].find((svg) => svg.clientWidth > 0);
      const place = plan && (plan.querySelector('.marked text') || plan.querySelector('.node.sell'));
      if (!place) continue;
      const box = place.getBoundingClientRect(), frame = drawing.getBoundingClientRect();
      drawing.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
    }
  };
  for (const details of all('details.failure')) {
    if (details.open) centre(details);
    details.addEventListener('toggle', () => details.open && centre(details));
  }

  const open = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === 'DETAILS') { target.open = true; target.scrollIntoView(); }
  };
  addEventListener('hashchange', open);
  open();

  for (const button of all('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const line = button.parentElement.querySelector('pre');
      getSelection().selectAllChildren(line);
      try {
        await navigator.clipboard.writeText(line.textContent);
        button.textContent = 'Copied';
      } catch {
        button.textContent = 'Selected';
      }
    });
  }
})();
`;
