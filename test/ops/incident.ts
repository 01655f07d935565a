import type { Data } from '../support/identity.ts';
import type { OperatorConsole } from '../support/operator.ts';

export type Row = Record<string, unknown>;

/** What an operator has at night: psql as `trading_operator`, or as the owner of the database, and the console's operations. */
export type Hands = {
  psql(text: string, values?: unknown[]): Promise<Row[]>;
  asOwner(text: string, values?: unknown[]): Promise<Row[]>;
  read(path: string): Promise<Data['body']>;
  /** Posts with a reason; fails unless it is done. */
  post(path: string, body?: object): Promise<Data['body']>;
};

/** One step: what the operator does, and what it leaves for the next one. It throws if it does not find what the runbook says. */
type Step<Facts> = [says: string, act: (hands: Hands, known: Facts) => Promise<unknown>];

/** One incident of a night. */
export type Incident<Facts = Row> = {
  /** An alert of the example rules by its name, or what a customer said. */
  starts: { alert: string } | { customer: string };
  /** Makes it happen; returns what the alert or the customer names. */
  happens(desk: OperatorConsole): Promise<Facts>;
  /** At most five. */
  steps: Step<Facts>[];
  /** Why its alert still fires when it is over here, where no worker runs. */
  lasts?: string;
  /** Whether it is over, by what the service then does or shows. */
  isOver(desk: OperatorConsole, known: Facts): Promise<boolean>;
};

/** Types an incident by what its beginning names. */
export const incident = <Facts extends Row>(written: Incident<Facts>): Incident<Facts> => written;

/** The only row of a result. */
export function only(rows: Row[]): Row {
  const [row, more] = rows;
  if (!row || more) throw new Error(`Not one row: ${JSON.stringify(rows)}`);
  return row;
}

/** Throws unless a step finds what the runbook says. */
export function finds(isSo: unknown, what: string): asserts isSo {
  if (!isSo) throw new Error(`The step does not find ${what}`);
}
