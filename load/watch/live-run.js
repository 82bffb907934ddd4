/** Draws each second of a run in progress when its event arrives. */
const LATENCY = ['p50', 'p90', 'p99'];
const RATE = ['sent', 'requested'];
const MAX_POINTS = 900;
const element = (id) => document.getElementById(id);
const { bounds } = JSON.parse(element('data').textContent);
let points = [];
let charts = [];

const columns = (names) => [
  points.map(({ atS }) => atS),
  ...names.map((name) => points.map((p) => p[name])),
];
const chart = (id, names, colors, limits = []) => {
  const plot = draw(id, columns(names), {
    ...(limits.length > 0 && { padding: MARGIN, hooks: { draw: [boundLines(limits)] } }),
    scales: {
      x: { time: false },
      y: {
        range: (_u, _low, high) => [0, 1.1 * (Math.max(high, ...limits.map(({ ms }) => ms)) || 1)],
      },
    },
    axes: [axis({ values: (_u, ticks) => ticks.map((s) => `${s} s`) }), axis({ size: 56 })],
    series: [
      { label: 'second', value: (_u, v) => (v == null ? '–' : `${v} s`) },
      ...names.map((label, at) =>
        line(label, colors[at], plain, { points: { show: points.length < 2 } }),
      ),
    ],
  });
  charts.push({ plot, names });
};
keepDrawn(() => {
  charts = [];
  chart('latency', LATENCY, [1, 3, 4], bounds);
  chart('rate', RATE, [2, 5]);
});
const CHIPS = { held: 'pass', crossed: 'fail', 'not measured': 'could-not-run' };
const cellOf = (text, at, isChip, label) => {
  const cell = document.createElement(at === 0 && !isChip ? 'th' : 'td');
  if (at > 0) cell.dataset.label = label.toLowerCase();
  const place = isChip && at === 0 ? document.createElement('span') : cell;
  if (place !== cell) {
    place.className = `chip ${CHIPS[text]}`;
    cell.append(place);
  }
  place.textContent = text;
  return cell;
};
const fill = (id, rows = []) => {
  const section = element(id);
  section.hidden = rows.length === 0;
  const labels = [...section.querySelectorAll('thead th')].map((head) => head.textContent);
  section.querySelector('tbody').replaceChildren(
    ...rows.map((cells) => {
      const row = document.createElement('tr');
      row.append(...cells.map((text, at) => cellOf(text, at, id === 'thresholds', labels[at])));
      return row;
    }),
  );
};
const show = (message) => {
  const { elapsedS = 0, totalS = 1, errors = 0, step, verdict, reason, isComplete } = message;
  const last = message.points.at(-1);
  const isNewRun = last !== undefined && last.atS <= (points.at(-1)?.atS ?? -1);
  if (isComplete || isNewRun) points = [];
  points = [...points, ...message.points].slice(-MAX_POINTS);
  for (const { plot, names } of charts) plot.setData(columns(names));
  const latest = points.at(-1);
  for (const name of ['sent', 'p50', 'p99']) element(name).textContent = plain(latest?.[name]);
  element('errors').textContent = errors.toLocaleString('en-US');
  element('errors').parentElement.classList.toggle('bad', errors > 0);
  element('progress').value = verdict === undefined ? elapsedS / totalS : 1;
  for (const id of ['thresholds', 'failures', 'endpoints']) fill(id, message[id]);
  const at = `${Math.round(elapsedS)} of ${Math.round(totalS)} s`;
  element('reason').textContent =
    verdict === undefined ? (step ? `step ${step.number} at ${step.rate}/s, ${at}` : at) : reason;
  if (verdict === undefined) return;
  element('verdict').className = `verdict ${verdict}`;
  element('verdict').firstElementChild.textContent = verdict;
};

const events = new EventSource('/events');
let isOver = false;
events.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  show(message);
  isOver = message.verdict !== undefined;
  if (isOver) events.close();
};
events.onopen = () => {
  points = [];
};
events.onerror = () => {
  if (!isOver) element('reason').textContent = 'the run is over, or its command was stopped';
};
