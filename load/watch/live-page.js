/**
 * The script of the page of a run under way: draws the points of each event.
 * It makes no markup from data and sends nothing.
 */
const LATENCY = ['p50', 'p90', 'p99'];
const RATE = ['sent', 'requested'];
const MAX_POINTS = 900;
const element = (id) => document.getElementById(id);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const plain = (v) =>
  v == null ? '–' : v >= 100 ? Math.round(v).toLocaleString('en-US') : String(+v.toPrecision(3));
let points = [];
let charts = [];

const axis = (more) => ({
  stroke: css('--soft'),
  grid: { stroke: css('--line'), width: 1 },
  ticks: { stroke: css('--line'), width: 1 },
  ...more,
});
const columns = (names) => [
  points.map(({ atS }) => atS),
  ...names.map((name) => points.map((p) => p[name])),
];
const chart = (id, names, colours) => {
  const place = element(id);
  place.textContent = '';
  const size = () => ({
    width: place.clientWidth,
    height: parseFloat(getComputedStyle(place).minHeight) - 40,
  });
  const plot = new uPlot(
    {
      ...size(),
      scales: {
        x: { time: false },
        y: { range: (_u, _low, high) => [0, high > 0 ? 1.1 * high : 1] },
      },
      axes: [axis({ values: (_u, ticks) => ticks.map((s) => `${s} s`) }), axis({ size: 56 })],
      series: [
        { label: 'second', value: (_u, v) => (v == null ? '–' : `${v} s`) },
        ...names.map((label, at) => ({
          label,
          stroke: css(colours[at]),
          width: 2,
          value: (_u, v) => plain(v),
          points: { show: points.length < 2 },
        })),
      ],
    },
    columns(names),
    place,
  );
  charts.push({ plot, names, size });
};
const drawAll = () => {
  for (const { plot } of charts) plot.destroy();
  charts = [];
  chart('latency', LATENCY, ['--c1', '--c3', '--c4']);
  chart('rate', RATE, ['--c2', '--c5']);
};
const show = (message) => {
  const { elapsedS = 0, totalS = 1, errors = 0, step, verdict, reason } = message;
  const last = message.points.at(-1);
  if (last !== undefined && last.atS <= (points.at(-1)?.atS ?? -1)) points = [];
  points = [...points, ...message.points].slice(-MAX_POINTS);
  for (const { plot, names } of charts) plot.setData(columns(names));
  const latest = points.at(-1);
  for (const name of ['sent', 'p50', 'p99']) element(name).textContent = plain(latest?.[name]);
  element('errors').textContent = errors.toLocaleString('en-US');
  element('errors').parentElement.classList.toggle('bad', errors > 0);
  element('progress').value = verdict === undefined ? elapsedS / totalS : 1;
  const at = `${Math.round(elapsedS)} of ${Math.round(totalS)} s`;
  element('reason').textContent =
    verdict === undefined ? (step ? `step ${step.number} at ${step.rate}/s, ${at}` : at) : reason;
  if (verdict === undefined) return;
  element('verdict').className = `verdict ${verdict}`;
  element('verdict').firstElementChild.textContent = verdict;
};

drawAll();
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
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
addEventListener('resize', () => {
  for (const { plot, size } of charts) plot.setSize(size());
});
