/** What goes wrong on the wire. The first four act instead of the party, the rest on its finished answer. */
const faultKinds = {
  refuse: 'Answers with a business refusal; nothing is done.',
  status_500: 'Answers 500; nothing is done.',
  reset: 'Closes the connection; nothing is done.',
  hang: 'Never answers; nothing is done.',
  html_200: 'Answers 200 with a page of something in between; nothing is done.',
  accept_then_drop: 'Does what was asked, then closes the connection without an answer.',
  late: 'Does what was asked and answers after delayMs.',
  cut_json: 'Does what was asked and sends only half of the answer.',
} as const;

export type FaultKind = keyof typeof faultKinds;

/**
 * A scripted fault. `route`: a part of `METHOD /path`, absent for all. `times`: how often it strikes, absent for
 * until cleared. `rate`: the share of matching calls it strikes (0–1), drawn from a generator started by `seed`.
 */
export type Fault = { kind: FaultKind; route?: string; times?: number; rate?: number; seed?: number; delayMs?: number };

/** The faults a party is to show. The oldest that matches strikes. */
export type Faults = {
  add(fault: Fault): void;
  clear(): void;
  /** The fault that strikes this call (`METHOD /path`), which counts as one of its times. */
  next(call: string): Fault | null;
};

/** No faults until some are added. */
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
      const struck = scripted.find(({ fault, left, draw }) => {
        return left > 0 && call.includes(fault.route ?? '') && draw() < (fault.rate ?? 1);
      });
      if (struck) struck.left -= 1;
      return struck?.fault ?? null;
    },
  };
};

/** Reads a fault from a control body; null where it is none. */
export const readFault = (value: unknown): Fault | null => {
  const fault = Object(value) as Partial<Fault>; // as: the one member that must be right is checked
  return typeof fault.kind === 'string' && Object.hasOwn(faultKinds, fault.kind)
    ? { ...fault, kind: fault.kind }
    : null;
};

/** Mulberry32: the same seed strikes the same calls in every run. Numbers from 0 up to 1. */
const generator = (seed: number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
