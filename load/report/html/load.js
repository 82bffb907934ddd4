/** Draws the charts of a load run from the data block, and again when another endpoint is selected. */
const data = JSON.parse(document.getElementById('data').textContent);
const ms = (v) => {
  if (v == null) return '–';
  if (v >= 10) return v.toFixed(v >= 100 ? 0 : 1);
  return v.toFixed(v >= 0.1 ? 2 : 3);
};
const clock = (s) => {
  if (s == null) return 'whole run';
  if (s < 120) return `${+s.toFixed(1)} s`;
  return s < 7200 ? `${+(s / 60).toFixed(1)} min` : `${+(s / 3600).toFixed(2)} h`;
};
const percent = (nine) => {
  if (nine == null) return '–';
  if (nine <= 0) return '0%';
  const digits = Math.max(0, Math.floor(nine) - 1);
  return `${+(100 * (1 - 10 ** -nine)).toFixed(digits + (nine % 1 ? 1 : 0))}%`;
};
const warmUp = (u) => {
  if (!(data.warmUpS > 0)) return;
  const right = u.valToPos(data.warmUpS, 'x', true);
  u.ctx.save();
  u.ctx.fillStyle = css('--line');
  u.ctx.globalAlpha = 0.45;
  u.ctx.fillRect(
    u.bbox.left,
    u.bbox.top,
    Math.max(0, Math.min(right - u.bbox.left, u.bbox.width)),
    u.bbox.height,
  );
  u.ctx.restore();
};
const logScale = (columns, also = []) => {
  const values = columns
    .slice(1)
    .flat()
    .concat(also)
    .filter((v) => v > 0);
  const [low, high] =
    values.length === 0 ? [0.1, 10] : [Math.min(...values) / 1.25, Math.max(...values) * 1.25];
  return { distr: 3, range: () => [low, high] };
};
const ticksOfLog = (_u, _axis, low, high) => {
  const found = [];
  const decades = Math.log10(high / low);
  const steps = decades < 1.5 ? [1, 2, 3, 5, 7] : decades < 3 ? [1, 2, 5] : [1];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
    for (const step of steps) {
      const value = step * 10 ** e;
      if (value >= low && value <= high) found.push(value);
    }
  return found;
};
const logAxis = (more) =>
  axis({ values: (_u, t) => t.map(plain), splits: ticksOfLog, filter: (_u, t) => t, ...more });
// A run of one interval is drawn as a point.
const timeScale = {
  time: false,
  range: (_u, low, high) => (low === high ? [low, low + data.intervalS] : [low, high]),
};
const chosen = () => {
  const select = document.getElementById('endpoint');
  return data.latency[select ? select.selectedIndex : 0] || data.latency[0];
};
const time = { label: 'time', value: (_u, v) => clock(v) };
const wholeSteps = [1, 60, 3600].flatMap((unit) =>
  [1, 2, 5, 10, 15, 30].map((count) => count * unit),
);
const timeAxis = () =>
  axis({
    values: (_u, ticks) => ticks.map(clock),
    incrs: [0.1, 0.2, 0.5, ...wholeSteps, 86400, 172800],
    space: 60,
  });
const sharedCursor = { ...cursor, sync: { key: 'time' } };
const dots = ([moments]) => (moments.length < 2 ? { points: { show: true, size: 7 } } : {});
const limits = (bounds) => bounds.map((bound) => bound.ms);

// Dashes keep overlapping lines visible, and distinguish lines without color.
const DASHES = [[], [9, 4], [2, 3], [9, 3, 2, 3]];
const dashed = (kind, width = 1.75) => ({ width, dash: DASHES[kind] });
const BORDERS = ['solid', 'dashed', 'dotted', 'double'];
const legend = {
  live: true,
  markers: {
    dash: (u, i) => BORDERS[DASHES.findIndex((dash) => `${dash}` === `${u.series[i].dash}`)],
  },
};
/** Highlights the line under the cursor. */
const focused = { focus: { alpha: 0.25 }, legend };
const focusCursor = { ...cursor, focus: { prox: 24 } };
const STYLES = {
  p50: [1, dashed(0)],
  p90: [2, dashed(1, 2)],
  p99: [3, dashed(0, 2.75)],
  'p99.9': [4, dashed(1, 2)],
  max: [5, dashed(2, 1.5)],
};
const drawLatency = () => {
  const { columns, names, overall, bounds } = chosen();
  draw('latency', columns, {
    ...focused,
    cursor: { ...sharedCursor, focus: focusCursor.focus },
    padding: MARGIN,
    scales: { x: timeScale, y: logScale(columns, limits(bounds)) },
    axes: [timeAxis(), logAxis({ size: 56 })],
    series: [
      time,
      ...names.map((name, i) => {
        const [color, style] = STYLES[name];
        return line(name, color, ms, { ...dots(columns), ...style }, overall[i]);
      }),
    ],
    hooks: { drawClear: [warmUp], draw: [boundLines(bounds)] },
  });
};

const drawRate = ({ columns, names, overall }) => {
  const styles = {
    sent: [1, { fill: `${css('--c1')}22` }],
    succeeded: [2, {}],
    requested: [5, { dash: [6, 4] }],
  };
  draw('rate', columns, {
    cursor: sharedCursor,
    scales: { x: timeScale, y: { range: (_u, _l, high) => [0, (high || 1) * 1.15] } },
    axes: [timeAxis(), axis({ values: (_u, t) => t.map(plain), size: 56 })],
    series: [
      time,
      ...names.map((name, i) => {
        const [color, style] = styles[name];
        return line(name, color, plain, { ...dots(columns), ...style }, overall[i]);
      }),
    ],
    hooks: { drawClear: [warmUp] },
  });
};

const tones = [4, 3, 6, 8, 9, 10];
const drawErrors = ({ columns, names, counts }) => {
  const order = names.map((_name, i) => i).reverse();
  draw('errors', [columns[0], ...order.map((i) => columns[i + 1])], {
    cursor: sharedCursor,
    scales: { x: timeScale, y: { range: (_u, _l, high) => [0, Math.max(high || 0, 4)] } },
    axes: [
      timeAxis(),
      axis({ values: (_u, t) => t.map((v) => (Number.isInteger(v) ? plain(v) : '')), size: 56 }),
    ],
    series: [
      time,
      ...order.map((i) => {
        const color = tones[i % tones.length];
        const total = counts[i].reduce((sum, count) => sum + count, 0);
        return line(names[i], color, plain, {
          fill: css(`--c${color}`),
          width: 0,
          spanGaps: false,
          paths: uPlot.paths.bars({ size: [0.8, 40] }),
          value: (_u, _v, _series, at) => plain(at == null ? total : counts[i][at]),
        });
      }),
    ],
    hooks: { drawClear: [warmUp] },
  });
};

const nines = [0.30103, 1, 2, 3, 4, 5, 6, 7];
const drawCurve = ({ columns, names }) => {
  const splits = (u, _a, low, high) =>
    [...(u.width < 600 ? [] : [0]), ...nines].filter((v) => v >= low && v <= high);
  // Without a cursor, the legend shows the 99th percentile, if there are enough requests.
  const at99 = columns[0].findIndex((nine) => nine >= 2);
  const styleOf = (i) => (i === 0 ? dashed(0, 3) : dashed(i % 4));
  draw('curve', columns, {
    ...focused,
    cursor: focusCursor,
    scales: { x: { time: false }, y: logScale(columns) },
    axes: [
      axis({ splits, values: (_u, t) => t.map(percent), filter: (_u, t) => t, space: 30 }),
      logAxis({ size: 56 }),
    ],
    series: [
      { label: 'share', value: (_u, v) => percent(v ?? columns[0][at99]) },
      ...names.map((name, i) => line(name, (i % 11) + 1, ms, styleOf(i), columns[i + 1][at99])),
    ],
  });
};

const tints = { held: '--good', crossed: '--bad', invalid: '--warn' };
const drawSearch = ({ columns, names, bounds, runs }) => {
  const [rates] = columns;
  const all = runs.flatMap(({ p50, p99 }) => [p50, p99]);
  const dot = (u, rate, latency, outcome) => {
    u.ctx.beginPath();
    const [x, y] = [u.valToPos(rate, 'x', true), u.valToPos(latency, 'y', true)];
    u.ctx.arc(x, y, 4.5 * devicePixelRatio, 0, 7);
    u.ctx.fillStyle = css(tints[outcome]);
    u.ctx.fill();
  };
  const outcomeDots = (u) => {
    u.ctx.save();
    for (const { rate, outcome, ...latencies } of runs) {
      for (const name of names) dot(u, rate, latencies[name], outcome);
    }
    u.ctx.restore();
  };
  draw('search', columns, {
    scales: {
      x: { time: false, ...logScale([[], rates]) },
      y: logScale(columns, [...all, ...limits(bounds)]),
    },
    padding: MARGIN,
    axes: [logAxis({ space: 40 }), logAxis({ size: 56 })],
    series: [
      { label: 'requests a second', value: (_u, v) => plain(v) },
      ...names.map((name, i) => line(name, i === 0 ? 1 : 3, ms, {})),
    ],
    hooks: { draw: [boundLines(bounds), outcomeDots] },
  });
};

const redraw = keepDrawn(() => {
  drawLatency();
  drawRate(data.rate);
  drawErrors(data.errors);
  drawCurve(data.curve);
  if (data.search) drawSearch(data.search);
});
document.getElementById('endpoint')?.addEventListener('change', redraw);
