import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';
import { type Identity, startIdentity } from '../support/identity.ts';
import { until } from '../support/processes.ts';

const nothing = z.object({});
const MANY = 300; // more than a worker has jobs at once

describe('a mail server that', () => {
  let service: Identity;
  afterEach(() => service.stop());

  const notifications = (count = MANY) =>
    service.db.query(sql.type(nothing)`
      select post_mail(gen_random_uuid(), 'notification', 'user' || n || '@example.com', '{"subject": "a", "html": "b", "text": "c"}', null, 86400)
      from generate_series(1, ${count}) n`);

  /** Has another job of the runner run, and fails if that takes 2 s. */
  async function expectOtherJobsRun() {
    const startedAt = performance.now();
    await service.db.query(
      sql.type(nothing)`select graphile_worker.add_job('housekeeping/figures', job_key => 'a test')::text`,
    );
    await until('the job', async () =>
      (await service.db.exists(sql.type(nothing)`select from graphile_worker.jobs where key = 'a test'`)) ? null : true,
    );
    expect(performance.now() - startedAt).to.be.below(2_000);
  }

  /** A mail server that takes half a second for each mail. */
  async function slowServer(onMail: (recipients: string[]) => void = () => {}) {
    const slow = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData(stream, session, done) {
        onMail(session.envelope.rcptTo.map(({ address }) => address));
        stream.resume().on('end', () => setTimeout(done, 500));
      },
    });
    slow.on('error', () => {});
    slow.listen(0, '127.0.0.1');
    await once(slow.server, 'listening');
    const { port } = slow.server.address() as AddressInfo; // as: it listens on TCP
    service = await startIdentity({ SMTP_URL: `smtp://127.0.0.1:${port}` });
    return slow;
  }

  it('is silent delays no other job of its runner', async function () {
    this.timeout(60_000);
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // as: it listens on TCP
    service = await startIdentity({ SMTP_URL: `smtp://127.0.0.1:${port}` });
    await notifications();
    await sleep(2_500);

    for (let n = 0; n < 5; n += 1) {
      await expectOtherJobsRun();
      await sleep(500);
    }
    silent.close();
    for (const socket of sockets) socket.destroy();
  });

  it('is slow is asked for what others wait for before many notifications', async function () {
    this.timeout(60_000);
    const codes: number[] = [];
    const slow = await slowServer((recipients) => {
      if (recipients.some((address) => address.startsWith('newcomer'))) codes.push(performance.now());
    });
    await notifications();
    await sleep(2_500);

    for (let n = 0; n < 3; n += 1) {
      const startedAt = performance.now();
      await service.db.query(sql.type(nothing)`
        select post_mail(gen_random_uuid(), 'webhook_deactivated', 'newcomer' || ${n} || '@example.com',
          '{"app": "a", "url": "https://example.com", "because": "gone"}', null, 86400)`);
      await until('the mail', () => codes.length > n);
      expect(performance.now() - startedAt).to.be.below(3_000);
    }
    slow.close();
  });

  it('is slow takes the code of another app before many codes of one', async function () {
    this.timeout(60_000);
    const taken: string[] = [];
    const slow = await slowServer((recipients) => taken.push(...recipients));
    const codes = (app: string, count: number) =>
      service.db.query(sql.type(nothing)`
        select post_mail(gen_random_uuid(), 'password_changed', 'user' || n || '@' || ${app} || '.example.com', '{"app": "a"}', null, 86400,
          in_name_of => ${app})
        from generate_series(1, ${count}) n`);
    await codes('crowd', MANY);
    await until('its first mails', () => taken.length > 20);

    await codes('other', 1);
    await until('the code', () => taken.some((address) => address.endsWith('@other.example.com')), 50_000);

    expect(taken.length).to.be.below(20 + MANY / 8);
    slow.close();
  });

  it('is slow delays no other job of its runner, however many notifications there are, and those that wait were not tried yet', async function () {
    this.timeout(60_000);
    const slow = await slowServer();
    await notifications(2_000);
    await until('each has looked for a turn', async () =>
      (await service.db.exists(sql.type(nothing)`select from mails m where m.state = 'queued' and m.fault is null`))
        ? null
        : true,
    );

    for (let n = 0; n < 5; n += 1) {
      await expectOtherJobsRun();
      await sleep(500);
    }
    const tried = await service.db.oneFirst(sql.type(z.object({ most: z.number() }))`
      select max(m.attempts) as most from mails m where m.state = 'queued'`);
    expect(tried).to.equal(0);
    slow.close();
  });
});
