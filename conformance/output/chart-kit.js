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
const dashedLine = (u, from, to) => {
  u.ctx.beginPath();
  u.ctx.moveTo(...from);
  u.ctx.lineTo(...to);
  u.ctx.stroke();
};
/** Padding of a chart with `boundLines`, whose labels are outside the plot so that no line crosses them. */
const MARGIN = [18, 76, 0, 0];
/** Moves labels apart that would overlap. */
const spread = (labels, size) => {
  let next = Number.NEGATIVE_INFINITY;
  return labels
    .sort((a, b) => a.at - b.at)
    .map((label) => {
      const at = Math.max(label.at, next);
      next = at + size(label);
      return { ...label, at };
    });
};
/** Draws a dashed line at each bound, and one at the time at which it was first crossed. */
const boundLines = (bounds) => (u) => {
  const { left, top, width, height } = u.bbox;
  const [right, bottom, px] = [left + width, top + height, devicePixelRatio];
  u.ctx.save();
  u.ctx.strokeStyle = u.ctx.fillStyle = css('--bad');
  u.ctx.setLineDash([6, 4]);
  u.ctx.textAlign = 'left';
  u.ctx.font = `${11 * px}px system-ui, sans-serif`;
  const [beside, above] = [[], []];
  for (const { name, ms, crossedS } of bounds) {
    const y = u.valToPos(ms, 'y', true);
    if (y >= top && y <= bottom) {
      dashedLine(u, [left, y], [right, y]);
      beside.push({ at: y, text: `${name} bound` });
    }
    const x = crossedS == null ? -1 : u.valToPos(crossedS, 'x', true);
    if (x >= left && x <= right) {
      dashedLine(u, [x, top], [x, bottom]);
      above.push({ at: x, text: `${name} crossed` });
    }
  }
  const line = 13 * px;
  for (const { at, text } of spread(beside, () => line)) {
    u.ctx.fillText(text, right + 5 * px, at + 4 * px);
  }
  const widthOf = ({ text }) => u.ctx.measureText(text).width + 8 * px;
  for (const { at, text } of spread(above, widthOf)) u.ctx.fillText(text, at, top - 5 * px);
  u.ctx.restore();
};
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
