import { mock } from 'node:test';

const STEP_MS = 10;
/** More turns of the event loop than what happens at one moment takes. */
const TURNS = 20;
const realTimer = setTimeout;

/**
 * The time of this process goes on only while a test lets it pass, so that a busy machine makes nothing late. For suites whose
 * upstreams are in the process. Call it in a `describe`.
 */
export function stoppedClock() {
  const real = performance.now;
  let nowMs = 0;
  beforeEach(() => {
    nowMs = Math.ceil(real.call(performance));
    performance.now = () => nowMs;
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Math.floor(performance.timeOrigin + nowMs) });
  });
  afterEach(() => {
    mock.timers.reset();
    performance.now = real;
  });

  const happen = async () => {
    await new Promise((resolve) => realTimer(resolve, 1)); // those of `nock`, of 1 ms, are real; this comes after them
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise(setImmediate);
  };
  /** So much time passes at once. */
  const skip = (ms: number): void => {
    nowMs += ms;
    mock.timers.tick(ms);
  };
  const step = async () => {
    skip(STEP_MS);
    await happen();
  };
  /** Lets so much time pass in small steps; what is due meanwhile happens. */
  async function pass(ms: number): Promise<void> {
    await happen();
    for (const untilMs = nowMs + ms; nowMs < untilMs; ) await step();
  }
  const awaited = new Set<object>();
  let isGoing = false;
  const go = async () => {
    isGoing = true;
    for (await happen(); awaited.size > 0; ) await step();
    isGoing = false;
  };
  /** The result of some work, for whose end time passes; also of several at once. */
  async function passing<Result>(work: Promise<Result>): Promise<Result> {
    awaited.add(work);
    if (!isGoing) void go();
    return work.finally(() => awaited.delete(work));
  }

  return { pass, passing, skip };
}
