/* Loaded before a program (`--import`): its host's clock is ahead by CLOCK_AHEAD_MS, and is set back by CLOCK_BACK_MS at SIGUSR2. Intervals are right. */
let aheadMs = Number(process.env.CLOCK_AHEAD_MS);
process.on('SIGUSR2', () => {
  aheadMs -= Number(process.env.CLOCK_BACK_MS);
});
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
