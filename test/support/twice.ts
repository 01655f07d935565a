import { expect } from 'chai';
import { type Ask, type Data, fresh } from './identity.ts';

/**
 * Sends a write twice under one Idempotency-Key. Expects the first to succeed and the second to return the same response
 * as a replay, for the same intent, and to change nothing that `effects` reads. What an operator does is in the audit log then, with the reason.
 * Returns the first response.
 */
export async function twice(
  ask: Ask,
  method: string,
  path: string,
  options: Parameters<Ask>[2] = {},
  effects: () => Promise<unknown> = async () => null,
): Promise<Data> {
  const headers = { ...options.headers, 'Idempotency-Key': fresh('twice') };
  const send = () => ask(method, path, { ...options, headers });
  const audited = await newestAct(ask, path);
  const first = await send();
  const had = await effects();
  const second = await send();
  const label = `${method} ${path}: ${JSON.stringify([first.body, second.body])}`;
  expect(first.status, label).to.be.within(200, 204);
  const hasActed = first.body?.results?.length !== 0; // a re-run of many may find none
  if (audited !== null && hasActed) {
    const { reason = '' } = Object(options.json);
    expect(await newestAct(ask, path), label)
      .to.include(JSON.stringify(reason).slice(1, -1))
      .and.not.equal(audited);
  }
  expect(second.status, label).to.equal(first.status);
  expect(second.headers.get('idempotent-replayed'), label).to.equal('true');
  const intents = [first, second].flatMap((reply) => reply.headers.get('intent-id') ?? []);
  expect(new Set(intents).size, label).to.be.below(2);
  expect(second.body, label).to.deep.equal(first.body);
  expect(await effects(), label).to.deep.equal(had);
  return first;
}

/** The newest entry of the audit log, for a write of an operator who may read it; else null. */
async function newestAct(ask: Ask, path: string): Promise<string | null> {
  if (!path.startsWith('/v2/admin/')) return null;
  const { status, body } = await ask('GET', '/v2/admin/audit?limit=1');
  return status === 200 ? JSON.stringify(body) : null;
}
