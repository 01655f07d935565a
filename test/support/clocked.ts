import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/config.ts';
import { openPool } from '../../src/db/pool.ts';
import { startWeb, takePort } from '../../src/runtime/web-process.ts';
import { startWorker } from '../../src/runtime/worker-process.ts';
import { advanceAccount, advanceDatabase } from '../../src/sandbox/clock.ts';
import { seed } from '../../src/sandbox/seed.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import { type Ask, asking, bearer, PASSWORD } from './identity.ts';
import { freshDatabase } from './postgres.ts';
import { until } from './processes.ts';
import { type Receiver, startReceiver } from './receivers.ts';
import { logLines, testSettings } from './service.ts';
import { realSockets } from './sockets.ts';

const NOWHERE = { minerUrl: 'http://127.0.0.1:9', validatorUrl: 'http://127.0.0.1:9' };

/** A service with a sandbox whose clock can be advanced, and callers of it. */
export async function startClocked() {
  const stops: (() => unknown)[] = [];
  stops.push(realSockets());
  const database = await freshDatabase();
  stops.push(database.drop);
  const clock = await openPool(database.url, 1, () => {});
  stops.push(() => clock.end());
  const folder = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-clock-`));
  stops.push(() => rm(folder, { recursive: true }));
  const sandbox = await startSandbox({
    ...{ folder, host: '127.0.0.1' },
    advanceDatabase: (seconds) => advanceDatabase(clock, seconds),
    advanceAccount: (account, seconds) => advanceAccount(clock, account, seconds),
  });
  stops.push(sandbox.stop);
  const config = readConfig({
    ...testSettings(database.url, NOWHERE, { THROTTLE_SCALE: '1000' }),
    ...sandbox.settings,
  });
  const log = logLines().logger;
  const trial = { port: await takePort(config), beside: { at: '/sandbox', respond: sandbox.site } };
  const web = await startWeb(config, log, undefined, trial);
  stops.push(web.stop);
  const worker = await startWorker(config, log, web.runtime.metrics);
  stops.push(worker.stop);
  const receiver: Receiver = await startReceiver(() => 500);
  stops.push(receiver.close);
  sandbox.announce(web.url, web.url);
  const url = web.url;
  const ask: Ask = asking(url);
  const credentials = (await seed(web.runtime.db, web.runtime.sealer)).join('\n');

  const printed = (name: RegExp) => name.exec(credentials)?.[1] ?? '';
  const advance = async (seconds: number) => {
    const { status, body } = await ask('POST', '/sandbox/clock/advance', { json: { seconds } });
    expect(status, JSON.stringify(body)).to.equal(200);
  };
  /** The app, with a new token that has these scopes. */
  const app = async () => {
    const form = {
      grant_type: 'client_credentials',
      client_id: printed(/client_id (\S+)/),
      client_secret: printed(/client_secret (\S+)/),
    };
    const { body } = await ask('POST', '/v2/oauth/token', { form });
    return { token: body.access_token, ask: asking(url, bearer(body.access_token)) };
  };
  const codeFor = (email: string) =>
    until('a mail with a code', async () => {
      const { body } = await ask('GET', `/sandbox/mails?to=${email}`);
      return /\d{6}/.exec(body[0]?.text ?? '')?.[0];
    });

  /** A verified user with a session. */
  const signUp = async (email: string) => {
    const { token, ask: byApp } = await app();
    await byApp('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
    const json = { email, code: await codeFor(email) };
    const { session_token } = (await byApp('POST', '/v2/auth/verify-email', { json })).body;
    return { session: session_token, ask: asking(url, { ...bearer(token), 'X-Session-Token': session_token }) };
  };
  const stop = async () => {
    for (const each of stops.reverse()) await each();
  };
  return { url, ask, receiver, printed, advance, app, codeFor, signUp, stop };
}
