/** Draws the charts of a study from the data block: one position per block, one color per service. */
const data = JSON.parse(document.getElementById('data').textContent);
const positions = data.blocks.map((_block, at) => at);
const colorOf = (at) => [1, 3, 2, 8, 9, 7][at % 6];
const tintOf = (at) => css(`--c${colorOf(at)}`);
const middleOf = (quantiles) => quantiles?.[(quantiles.length - 1) / 2] ?? null;

/** Calls `drawLine` for each visible service, with its color and functions that map positions and values to pixels. */
const forEachShown = (lines, drawLine) => (u) => {
  const [x, y] = ['x', 'y'].map((scale) => (value) => u.valToPos(value, scale, true));
  u.ctx.save();
  for (const [at, { quantiles }] of lines.entries()) {
    if (!u.series[at + 1].show) continue;
    u.ctx.fillStyle = u.ctx.strokeStyle = tintOf(at);
    drawLine(u.ctx, quantiles, x, y, at);
  }
  u.ctx.restore();
};

/** Draws the area between the ends of the intervals. */
const band = (ctx, quantiles, x, y) => {
  const known = positions.filter((at) => quantiles[at]);
  ctx.globalAlpha = 0.14;
  ctx.beginPath();
  for (const at of known) ctx.lineTo(x(at), y(quantiles[at].at(-1)));
  for (const at of known.toReversed()) ctx.lineTo(x(at), y(quantiles[at][0]));
  ctx.fill();
};

/** Draws a box from the lower to the upper quartile, a bar at the median, and whiskers at the 5th and 95th percentiles. */
const boxes = (services) => (ctx, quantiles, x, y, service) => {
  const width = Math.min((0.7 * (x(1) - x(0))) / services, 48 * devicePixelRatio);
  for (const at of positions.filter((each) => quantiles[each])) {
    const [p5, p25, median, p75, p95] = quantiles[at].map(y);
    const middle = x(at) + (service - (services - 1) / 2) * width;
    const [left, inner] = [middle - 0.4 * width, 0.8 * width];
    ctx.globalAlpha = 1;
    ctx.fillRect(middle - devicePixelRatio / 2, p95, devicePixelRatio, p5 - p95);
    ctx.clearRect(left, p75, inner, p25 - p75);
    ctx.globalAlpha = 0.45;
    ctx.fillRect(left, p75, inner, Math.max(2, p25 - p75));
    ctx.globalAlpha = 1;
    ctx.fillRect(left, median - devicePixelRatio, inner, 2 * devicePixelRatio);
  }
};

/** Without a block under the cursor, the legend shows the values at the first block. */
const drawBlocks = (id, lines, y, show, more, hooks) =>
  draw(id, [positions, ...lines.map(({ quantiles }) => quantiles.map(middleOf))], {
    scales: {
      x: { time: false, range: () => [-0.5, positions.length - 0.5] },
      y: { range: () => y },
    },
    axes: [
      axis({
        label: 'blocks after the quote',
        labelSize: 20,
        size: 30,
        splits: ({ width }) => {
          const every = Math.ceil((positions.length * 36) / width);
          return positions.filter((at) => at % every === 0);
        },
        values: (_u, splits) => splits.map((at) => data.blocks[at]),
        filter: (_u, splits) => splits,
      }),
      axis({ values: (_u, ticks) => ticks.map(show), size: 56 }),
    ],
    series: [
      { label: 'blocks later', value: (_u, at) => data.blocks[at ?? 0] },
      ...lines.map(({ name, texts }, service) =>
        line(name, colorOf(service), String, {
          value: (_u, _v, _series, at) => texts[at ?? 0] ?? '–',
          ...more,
        }),
      ),
    ],
    hooks,
  });

keepDrawn(() => {
  const percent = (share) => `${Math.round(share * 100)}%`;
  for (const [at, lines] of data.survival.entries()) {
    drawBlocks(
      `survival-${at}`,
      lines,
      [0, 1.02],
      percent,
      { points: { show: true, size: 7 } },
      {
        drawClear: [forEachShown(lines, band)],
      },
    );
  }
  const lines = data.distribution;
  const values = [
    0,
    ...lines.flatMap(({ quantiles }) => quantiles.flat().filter((v) => v != null)),
  ];
  const range = uPlot.rangeNum(Math.min(...values), Math.max(...values), 0.1, true);
  drawBlocks(
    'received',
    lines,
    range,
    plain,
    { paths: () => null },
    {
      draw: [forEachShown(lines, boxes(lines.length))],
    },
  );
});
