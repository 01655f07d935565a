import { bearer } from '../support/identity.ts';
import { until } from '../support/processes.ts';
import { type Reader, readStream } from '../support/stream.ts';
import { callers, within } from './life-accounts.ts';
import { type Act, isAlive, type Watched } from './life-act.ts';
import { passes, said } from './life-says.ts';
import { type State, userOf } from './life-state.ts';
import type { World } from './life-world.ts';

const ENDS_WITHIN_MS = 8_000;

/** Somebody opens the stream of an account: its user, its app or its key, or one of the first two by a ticket. */
export function watch(world: World, who: number, n: number): Act | null {
  const { app, accounts, keys } = userOf(world.now, who);
  const key = n % 3 === 2 ? within(keys, n) : undefined;
  const account = key?.account ?? within(accounts, n)?.id;
  if (!account) return null;
  const { token, session } = callers(world, who, n);
  const shown = key ? { apiKey: key.value } : n % 3 === 1 ? { token } : { token, session };
  return {
    name: `watch ${who} by ${Object.keys(shown)}`,
    async request() {
      const before = toldOf(world.now, account).length;
      const [reader, others] = await opened(world, { ...shown, account }, n % 4 === 3 && !key);
      if (others > 0) throw new Error('A ticket has opened two streams');
      if (reader.status === 200) world.watched.push({ who, account, ...shown, reader, before, state: 'open' });
      else await until('the whole response', () => reader.ended());
      const body = reader.status === 200 ? null : JSON.parse(reader.body());
      return { status: reader.status, code: body?.error?.code, body, isReplay: false };
    },
    explain(s, reply) {
      const { keys: all, accounts: mine } = userOf(s, who);
      const isOpen =
        all.some(({ id, isAlive }) => id === key?.id && isAlive) &&
        s.apps[app].isActive &&
        s.apps[app].scopes.includes('api');
      if (key && !isOpen) return void said(reply, ['V2_API_KEY_INVALID']);
      if (!key && !passes(s, reply, { token, scope: 'trading', ...(n % 3 === 0 && { session }) })) return;
      const found = mine.find(({ id }) => id === account);
      if (!found) said(reply, 404);
      else if (found.status === 'subaccount_failed') said(reply, ['V2_SUBACCOUNT_NOT_READY']);
      else said(reply, 200);
    },
  };
}

type Opening = { token?: string | undefined; session?: string; apiKey?: string; account: string };

/** The stream, or what it was rejected with, and how many more the same ticket has opened. */
async function opened(
  world: World,
  { token, session, apiKey, account }: Opening,
  byTicket: boolean,
): Promise<[Reader, number]> {
  const url = `${world.stage.service.url}/v2/trading/stream`;
  const headers = {
    'X-Prop-Account': account,
    ...(apiKey && { 'X-Api-Key': apiKey }),
    ...(token && bearer(token)),
    ...(session && { 'X-Session-Token': session }),
  };
  const request = { as: 'caller' as const, method: 'POST', path: '/v2/stream-tickets', token, session, account };
  const issued = byTicket ? await world.send(request) : null;
  if (issued?.status !== 200) return [await readStream(url, headers), 0];
  const both = await Promise.all([1, 2].map(() => readStream(`${url}?ticket=${issued.body.ticket}`, {})));
  const won = both.filter(({ status }) => status === 200);
  return [won[0] ?? (both[0] as Reader), won.length - 1]; // as: there are two
}

/** Streams whose credentials have ended end within seconds, with a reason, and others stay open. */
export async function streamsEnd({ watched, truths }: World): Promise<void> {
  for (const each of watched.filter(({ state }) => state === 'open')) {
    const lives = truths.map((truth) => isLive(truth, each));
    if (lives.every(Boolean)) {
      if (each.reader.ended()) throw new Error(`The stream of ${each.account} ended by itself`);
      continue;
    }
    each.state = lives.some(Boolean) ? 'unsure' : 'ended';
    if (each.state === 'unsure') continue;
    await until(`the stream of ${each.account} ends`, () => each.reader.ended(), ENDS_WITHIN_MS);
    const { type, data } = each.reader.events.at(-1) ?? {};
    if (type !== 'closed' || data?.reason !== 'revoked')
      throw new Error(`A stream ended by ${type} ${JSON.stringify(data)}`);
  }
}

/** A stream that is still open has told each status of its account since it was opened, in order. */
export async function streamsTell({ watched, truths }: World): Promise<void> {
  for (const { account, reader, before } of watched.filter(({ state }) => state === 'open')) {
    const told = () => reader.events.filter(({ type }) => type === 'account').map(({ data }) => data.status);
    const isAll = () => truths.some((truth) => `${told()}`.endsWith(`${toldOf(truth, account).slice(before)}`));
    await until('the stream tells each status', isAll, ENDS_WITHIN_MS).catch(() => {
      throw new Error(`The stream of ${account} told ${told()}`);
    });
  }
}

const toldOf = (s: State, account: string): unknown[] =>
  s.events.filter(({ about }) => about === account).map(({ data }) => data.status);

function isLive(s: State, { who, token, session, apiKey }: Watched): boolean {
  if (!apiKey) return isAlive(s, token, session);
  const { app, keys } = userOf(s, who);
  return (
    s.apps[app].isActive &&
    s.apps[app].scopes.includes('api') &&
    keys.some(({ value, isAlive }) => value === apiKey && isAlive)
  );
}
