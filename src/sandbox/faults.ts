/**
 * Faults on the wire. After "has no effect" faults the upstream did nothing. The other kinds occur after it has
 * processed the request.
 */
export const faultKinds = {
  reject:
    'Responds with a business rejection, of an order at the network in the words of `text` if given; has no effect.',
  status_500: 'Responds with 500; has no effect.',
  status_429: 'Responds with 429 and `Retry-After: 1`; has no effect.',
  reset: 'Closes the connection; has no effect.',
  hang: 'Never responds; has no effect.',
  html_200: 'Responds with 200 and an HTML page, as a proxy might; has no effect.',
  idle_200: 'Responds with 200 and `success: true`, as a miner does for a close that failed; has no effect.',
  accept_then_drop: 'Executes the request, then closes the connection without a response.',
  late: 'Executes the request and responds after delayMs.',
  cut_json: 'Executes the request and sends only half of the response.',
} as const;

/** A kind of fault. */
export type FaultKind = keyof typeof faultKinds;

/**
 * A scripted fault. `route`: a part of `METHOD /path`; absent: all routes. `times`: how often it occurs; absent: until
 * cleared. `rate`: the share of matching calls that it affects (0 to 1), drawn from a generator seeded with `seed`.
 */
export type Fault = {
  kind: FaultKind;
  route?: string;
  times?: number;
  rate?: number;
  seed?: number;
  delayMs?: number;
  text?: string;
};

/** The scripted faults of an upstream. The oldest matching fault is used. */
export type Faults = {
  add(fault: Fault): void;
  clear(): void;
  /** The fault for this call (`METHOD /path`). Counts as one of its `times`. */
  next(call: string): Fault | null;
};

/** Creates an empty list of faults. */
export const scriptedFaults = (): Faults => {
  let scripted: { fault: Fault; left: number; draw: () => number }[] = [];
  return {
    add: (fault) => {
      scripted.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY, draw: generator(fault.seed ?? 1) });
    },
    clear: () => {
      scripted = [];
    },
    next: (call) => {
      const match = scripted.find(({ fault, left, draw }) => {
        return left > 0 && call.includes(fault.route ?? '') && draw() < (fault.rate ?? 1);
      });
      if (match) match.left -= 1;
      return match?.fault ?? null;
    },
  };
};

/** Reads a fault from a control body. Null if it is not one. */
export const readFault = (value: unknown): Fault | null => {
  const fault = Object(value) as Partial<Fault>; // as: the only required member is checked
  return typeof fault.kind === 'string' && Object.hasOwn(faultKinds, fault.kind)
    ? { ...fault, kind: fault.kind }
    : null;
};

/** Mulberry32: the same seed selects the same calls in every run. Numbers from 0 to below 1. */
const generator = (seed: number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
