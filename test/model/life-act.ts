import type { TestAdmin } from '../support/identity.ts';
import type { Money } from '../support/money.ts';
import type { Receiver } from '../support/receivers.ts';
import type { Reader } from '../support/stream.ts';
import { type State, Unexplained } from './life-state.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape; the service checks each against the contract
export type Reply = { status: number; code: string | undefined; body: any; isReplay: boolean };
/** `token`: of an app; `session`: of a user; `apiKey`: of a trader; `account`: the header that names one. */
export type Request = {
  as: 'caller' | 'operator';
  method?: string;
  path: string;
  json?: object;
  form?: Record<string, string>;
  token?: string | undefined;
  session?: string | undefined;
  apiKey?: string;
  account?: string;
};
/** Something that somebody does, and what it means: `explain` changes a truth as the reply says, or throws that it cannot be. */
export type Act = {
  name: string;
  request: Request | (() => Promise<Reply>);
  // biome-ignore lint/suspicious/noConfusingVoidType: most replies have one meaning
  explain(s: State, reply: Reply): State[] | void;
};

/** An open stream of an account: with what it was opened, and how much of the account was told before. */
export type Watched = {
  who: number;
  account: string;
  token?: string | undefined;
  session?: string;
  apiKey?: string;
  reader: Reader;
  before: number;
  state: 'open' | 'ended' | 'unsure';
};

/** One service, which all runs share. */
export type Stage = { service: Money; admin: TestAdmin; receiver: Receiver };

/** Whether the credentials of a request are valid for everything of users, those that it has. */
export function isAlive(s: State, token?: string, session?: string): boolean {
  const app = Object.values(s.apps).find(({ tokens }) => tokens.some(({ value }) => value === token));
  const isValid =
    app?.isActive && app.tokens.some((each) => each.value === token && each.isAlive && each.scopes.includes('api'));
  const isOpen = s.users.some(({ sessions }) => sessions.some(({ token: t, isAlive }) => t === session && isAlive));
  return (token === undefined || Boolean(isValid)) && (session === undefined || isOpen);
}

/** What a repeat returns again: of a write that is followed, what it made; its state is the present one. */
export const firstOf = (body: Record<string, unknown>) => {
  const made = body.payment_id ?? body.session_id ?? (String(body.id).startsWith('prop_') ? body.id : undefined);
  return made === undefined ? body : made;
};

type Said = { act: Act | undefined; reply: Reply | undefined; s: State; start: State | null };

/** The truths in which a reply to an act in a truth leaves everything; none, and `why`, if the truth does not explain it. */
export function explained({ act, reply, s, start }: Said, why: Set<string>): State[] {
  if (!act || !reply) return [];
  const copy = structuredClone(s);
  if (start) copy.start = start;
  try {
    const states = act.explain(copy, reply) ?? [copy];
    for (const each of states) delete each.start;
    return states;
  } catch (error) {
    if (!(error instanceof Unexplained)) throw error;
    why.add(error.message);
    return [];
  }
}

/** Every order of these. */
export const ordersOf = (of: number[]): number[][] =>
  of.length < 2 ? [of] : of.flatMap((n) => ordersOf(of.filter((each) => each !== n)).map((rest) => [n, ...rest]));
