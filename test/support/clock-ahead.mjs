/* Loaded before a program (`--import`): its host's clock is ahead by CLOCK_AHEAD_MS. Intervals are right. */
const aheadMs = Number(process.env.CLOCK_AHEAD_MS);
const RightDate = Date;
globalThis.Date = class extends RightDate {
  constructor(...given) {
    super(...(given.length > 0 ? given : [RightDate.now() + aheadMs]));
  }
  static now() {
    return RightDate.now() + aheadMs;
  }
};
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + aheadMs });
