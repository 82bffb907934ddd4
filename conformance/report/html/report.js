/**
 * The page's script. Filters findings and rules, and stores the filters in the address. A link to a
 * finding opens it, and a button copies a curl line. The script creates only these buttons and sends
 * nothing. Without the script, the page still shows everything.
 */
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = document.querySelector('form.filters');
const fields = ['text', 'verdict', 'level'].map((name) => form.elements[name]);
const cards = all('.failure').map((card) => ({ card, rules: card.dataset.rules.split(' ') }));
const folds = all('.fold:has([data-rule])').map((fold) => ({
  fold,
  clauses: all('ul', fold).map((list) => {
    const head = list.previousElementSibling;
    const rows = all('[data-rule]', list).map((row) => {
      return { row, text: `${head.textContent} ${row.textContent}`.toLowerCase() };
    });
    return { head, rows };
  }),
}));

const filter = () => {
  const [text, verdict, level] = fields.map(({ value }) => value);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isAny = words.length === 0 && !verdict && !level;
  const matching = new Set();
  let shown = 0;
  let count = 0;
  for (const { fold, clauses } of folds) {
    const before = shown;
    for (const { head, rows } of clauses) {
      const first = shown;
      for (const { row, text } of rows) {
        const match =
          words.every((word) => text.includes(word)) &&
          (!verdict || row.dataset.verdict === verdict) &&
          (!level || row.dataset.level === level);
        row.hidden = !match;
        if (match) matching.add(row.dataset.rule);
        if (match) shown += 1;
        count += 1;
      }
      head.hidden = shown === first;
    }
    fold.hidden = shown === before;
    if (!isAny || fold.dataset.filtered) fold.open = !isAny && !fold.hidden;
    fold.dataset.filtered = isAny ? '' : 'yes';
  }
  for (const { card, rules } of cards) card.hidden = !rules.some((id) => matching.has(id));
  document.getElementById('shown').textContent = `${shown} of ${count} rules`;
};
const save = (how) => {
  const chosen = fields.filter(({ value }) => value).map(({ name, value }) => [name, value]);
  history[how](null, '', `#${new URLSearchParams(chosen)}`);
  filter();
};
const [search] = fields;
let isTyping = false;
search.addEventListener('focus', () => {
  isTyping = false;
});
search.addEventListener('input', () => {
  save(isTyping ? 'replaceState' : 'pushState');
  isTyping = true;
});
for (const field of fields.slice(1)) field.addEventListener('change', () => save('pushState'));
form.addEventListener('submit', (event) => event.preventDefault());

const center = (details) => {
  for (const drawing of all('.drawing', details)) {
    const plan = all('svg', drawing).find((svg) => svg.clientWidth > 0);
    const place = plan && (plan.querySelector('.marked text') || plan.querySelector('.node.sell'));
    if (!place) continue;
    const box = place.getBoundingClientRect();
    const frame = drawing.getBoundingClientRect();
    drawing.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
    drawing.scrollTop += box.top + box.height / 2 - frame.top - frame.height / 2;
  }
};
for (const details of all('.failure')) {
  if (details.open) center(details);
  details.addEventListener('toggle', () => details.open && center(details));
}

/** Applies the filters in the address, or opens the card that the address names. */
const follow = () => {
  const hash = decodeURIComponent(location.hash.slice(1));
  const card = hash && document.getElementById(hash);
  if (!card || card.hidden) {
    const wanted = new URLSearchParams(card ? '' : location.hash.slice(1));
    for (const field of fields) {
      field.value = wanted.get(field.name) || '';
      if (field.selectedIndex < 0) field.value = '';
    }
    filter();
  }
  if (card?.tagName === 'DETAILS') {
    card.open = true;
    card.scrollIntoView();
  }
};
addEventListener('hashchange', follow);
form.hidden = false;
filter();
follow();

addEventListener('beforeprint', () => {
  for (const details of all('.failure')) details.open = true;
});

for (const line of all('pre.shell')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  line.after(button);
  button.addEventListener('click', async () => {
    getSelection().selectAllChildren(line);
    try {
      await navigator.clipboard.writeText(line.textContent);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Selected';
    }
  });
}
