// biome-ignore-all lint/correctness/noUnusedVariables: the scripts of the pages use them
/*
 * The chart kit, which precedes each page's own script: axes, scales and lines for uPlot in the
 * page's colors. The kit creates no markup from data and sends nothing. Without it, the tables
 * still show everything.
 */
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const plain = (v) =>
  v == null ? '–' : v >= 1000 ? Math.round(v).toLocaleString('en-US') : String(+v.toPrecision(4));
const axis = (more) => ({
  stroke: css('--soft'),
  font: '12px system-ui, sans-serif',
  labelFont: '12px system-ui, sans-serif',
  grid: { stroke: css('--line'), width: 1 },
  ticks: { stroke: css('--line'), width: 1 },
  ...more,
});
/** Returns a series. While the cursor is outside the chart, the legend shows `overall`. */
const line = (label, color, show, more, overall = null) => ({
  label,
  stroke: css(`--c${color}`),
  width: 1.75,
  points: { show: false },
  spanGaps: true,
  value: (_u, v, _series, at) => show(at == null ? overall : v),
  ...more,
});
const cursor = { points: { size: 6 }, drag: { x: true, y: false } };
let drawn = [];
/**
 * Draws a chart into the element with this id, and returns the chart. Returns undefined if the page
 * lacks the element.
 */
const draw = (id, columns, options) => {
  const place = document.getElementById(id);
  if (!place) return undefined;
  place.textContent = '';
  const height = Math.max(parseFloat(getComputedStyle(place).minHeight) || 240, 120);
  const size = { width: place.clientWidth, height };
  const chart = new uPlot({ ...size, cursor, legend: { live: true }, ...options }, columns, place);
  drawn.push(chart);
  return chart;
};
/**
 * Draws all charts, and redraws them when the colors or the width of the window change. Returns the
 * function that redraws them.
 */
const keepDrawn = (drawAll) => {
  const redraw = () => {
    for (const chart of drawn) chart.destroy();
    drawn = [];
    drawAll();
  };
  redraw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  let width = innerWidth;
  let timer;
  addEventListener('resize', () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(timer);
    timer = setTimeout(redraw, 100);
  });
  return redraw;
};
