/**
 * The page's script: draws the charts with uPlot from the data block, again
 * when the reader's colours or the window's width change. It makes no markup
 * from data and sends nothing; without it the tables still show everything.
 */
export const LOAD_SCRIPT = `
(() => {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ms = (v) => v == null ? '–' : v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v >= 0.1 ? v.toFixed(2) : v.toFixed(3);
  const plain = (v) => v == null ? '–' : v >= 1000 ? v.toFixed(0) : String(+v.toPrecision(4));
  const clock = (s) => s == null ? '–' : s < 120 ? +s.toFixed(1) + ' s' : s < 7200 ? +(s / 60).toFixed(1) + ' min' : +(s / 3600).toFixed(2) + ' h';
  const percent = (nine) => {
    if (nine == null) return '–';
    if (nine <= 0) return '0 %';
    const digits = Math.max(0, Math.floor(nine) - 1);
    return +(100 * (1 - Math.pow(10, -nine))).toFixed(digits + (nine % 1 ? 1 : 0)) + ' %';
  };
  let drawn = [];

  const warmUp = (u) => {
    if (!(data.warmUpS > 0)) return;
    const right = u.valToPos(data.warmUpS, 'x', true);
    u.ctx.save();
    u.ctx.fillStyle = css('--line');
    u.ctx.globalAlpha = .45;
    u.ctx.fillRect(u.bbox.left, u.bbox.top, Math.min(right - u.bbox.left, u.bbox.width), u.bbox.height);
    u.ctx.restore();
  };
  const bound = (u) => {
    if (data.p99BoundMs === undefined) return;
    const y = u.valToPos(data.p99BoundMs, 'y', true);
    if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) return;
    u.ctx.save();
    u.ctx.strokeStyle = css('--bad');
    u.ctx.setLineDash([6, 4]);
    u.ctx.beginPath();
    u.ctx.moveTo(u.bbox.left, y);
    u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
    u.ctx.stroke();
    u.ctx.fillStyle = css('--bad');
    u.ctx.font = 11 * devicePixelRatio + 'px sans-serif';
    u.ctx.textAlign = 'right';
    u.ctx.fillText('p99 bound', u.bbox.left + u.bbox.width - 4 * devicePixelRatio, y - 4 * devicePixelRatio);
    u.ctx.restore();
  };
  const axis = (more) => ({
    stroke: css('--soft'), font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif',
    grid: { stroke: css('--line'), width: 1 }, ticks: { stroke: css('--line'), width: 1 }, ...more,
  });
  const positive = (columns) => {
    const values = columns.slice(1).flat().filter((v) => v > 0);
    const low = Math.min(...values), high = Math.max(...values);
    return values.length === 0 ? [0.1, 10] : [low / 1.25, high * 1.25];
  };
  const logScale = (columns) => {
    const [low, high] = positive(columns);
    return { distr: 3, range: () => [low, high] };
  };
  const ticksOfLog = (u, _axis, low, high) => {
    const found = [];
    const decades = Math.log10(high / low);
    const steps = decades < 1.5 ? [1, 2, 3, 5, 7] : decades < 3 ? [1, 2, 5] : [1];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
      for (const step of steps) {
        const value = step * Math.pow(10, e);
        if (value >= low && value <= high) found.push(value);
      }
    return found;
  };
  const draw = (id, columns, options) => {
    const place = document.getElementById(id);
    if (!place || columns[0].length === 0) return;
    place.textContent = '';
    const styles = getComputedStyle(place);
    const height = Math.max(parseFloat(styles.minHeight) || 240, 120);
    drawn.push(new uPlot({
      width: place.clientWidth, height,
      cursor: { points: { size: 6 }, drag: { x: true, y: false } },
      legend: { live: true },
      ...options,
    }, columns, place));
  };
  const line = (label, colour, show, more) => ({
    label, stroke: css('--c' + colour), width: 1.75, points: { show: false }, spanGaps: true, value: (_u, v) => show(v), ...more,
  });

  const drawAll = () => {
    for (const chart of drawn) chart.destroy();
    drawn = [];
    const time = { label: 'time', value: (_u, v) => clock(v) };
    const timeAxis = axis({ values: (_u, ticks) => ticks.map(clock), space: 60 });
    const sync = { key: 'time' };
    const cursor = { sync, points: { size: 6 }, drag: { x: true, y: false } };
    const single = data.latency.columns[0].length < 2;
    const dots = single ? { points: { show: true, size: 7 } } : {};
    const { latency, rate, errors, curve } = data;
    draw('latency', latency.columns, {
      cursor,
      scales: { x: { time: false }, y: logScale(latency.columns) },
      axes: [timeAxis, axis({ values: (_u, t) => t.map(plain), splits: ticksOfLog, filter: (_u, t) => t, size: 56 })],
      series: [time, ...latency.names.map((name, i) => line(name, i + 1, ms, { ...dots, ...(name === 'max' ? { width: 1, dash: [3, 3] } : {}) }))],
      hooks: { drawClear: [warmUp], draw: [bound] },
    });
    draw('rate', rate.columns, {
      cursor,
      scales: { x: { time: false }, y: { range: (_u, _l, high) => [0, (high || 1) * 1.15] } },
      axes: [timeAxis, axis({ values: (_u, t) => t.map(plain), size: 56 })],
      series: [time, ...rate.names.map((name, i) => line(name, i === 0 ? 1 : 5, plain, { ...dots, ...(name === 'asked' ? { dash: [6, 4] } : { fill: css('--c1') + '22' }) }))],
      hooks: { drawClear: [warmUp] },
    });
    draw('errors', errors.columns, {
      cursor,
      scales: { x: { time: false }, y: { range: (_u, _l, high) => [0, Math.max(high || 0, 4)] } },
      axes: [timeAxis, axis({ values: (_u, t) => t.map((v) => Number.isInteger(v) ? String(v) : ''), size: 56 })],
      series: [time, line('errors', 4, plain, { ...dots, fill: css('--c4') + '55', paths: uPlot.paths.bars({ size: [0.8, 40] }) })],
      hooks: { drawClear: [warmUp] },
    });
    draw('curve', curve.columns, {
      scales: { x: { time: false }, y: logScale(curve.columns) },
      axes: [
        axis({ splits: (u, _a, low, high) => [...(u.width < 600 ? [] : [0]), 0.30103, 1, 2, 3, 4, 5, 6, 7].filter((v) => v >= low && v <= high), values: (_u, t) => t.map(percent), filter: (_u, t) => t, space: 30 }),
        axis({ values: (_u, t) => t.map(plain), splits: ticksOfLog, filter: (_u, t) => t, size: 56 }),
      ],
      series: [{ label: 'share', value: (_u, v) => percent(v) }, ...curve.names.map((name, i) => line(name, i % 11 + 1, ms, name === 'all' ? { width: 2.5 } : {}))],
    });
  };
  drawAll();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  let width = innerWidth, timer;
  addEventListener('resize', () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(timer);
    timer = setTimeout(drawAll, 100);
  });
})();
`;
