// The schedule of a swapcheck load profile: when each request is due. A stage has
// durationS in seconds, and the rates at its start and end (fromRate, toRate) in
// requests a second.

/** Returns the length of all stages in seconds. */
export function durationOf(stages) {
  return stages.reduce((sum, { durationS }) => sum + durationS, 0);
}

/** Returns the number of requests in all stages. */
export function requestCount(stages) {
  return Math.ceil(stages.reduce((sum, stage) => sum + areaOf(stage), 0) - 1e-9);
}

/** Returns the seconds after the start at which request `number` is due: when the area under the rate reaches that number. */
export function dueSeconds(stages, number) {
  let areaBefore = 0;
  let startS = 0;
  for (const stage of stages) {
    const { durationS, fromRate, toRate } = stage;
    const area = areaOf(stage);
    if (number < areaBefore + area - 1e-9) {
      const part = number - areaBefore;
      const slope = (toRate - fromRate) / durationS;
      const divisor = fromRate + Math.sqrt(Math.max(0, fromRate * fromRate + 2 * slope * part));
      return startS + (divisor === 0 ? 0 : (2 * part) / divisor);
    }
    areaBefore += area;
    startS += durationS;
  }
  return startS;
}

/** Returns the rate at the given second, in requests a second. */
export function rateAt(stages, seconds) {
  let startS = 0;
  for (const { durationS, fromRate, toRate } of stages) {
    const share = (seconds - startS) / durationS;
    if (share < 1) return fromRate + (toRate - fromRate) * share;
    startS += durationS;
  }
  return 0;
}

function areaOf({ durationS, fromRate, toRate }) {
  return ((fromRate + toRate) / 2) * durationS;
}
