import { once } from 'node:events';
import { chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { withTls } from '../../src/db/tls.ts';
import { type Running, runProgram, startProgram, startScript, startWebProcess } from '../support/processes.ts';
import { testSettings } from '../support/service.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/tls/', import.meta.url));
const CA = path.join(FIXTURES, 'server.crt');
const ADDRESS = `127.77.0.${1 + (process.pid % 8)}`; // the certificate names these; a machine may have its own server on 127.0.0.1
const AWAY = { minerUrl: 'http://127.0.0.1:1', validatorUrl: 'http://127.0.0.1:1' };
const ignore = () => {};

describe('a database that takes TLS only, with a certificate that it signed itself', function () {
  this.timeout(120_000);
  let dataDir: string;
  let server: Embedded;
  const url = `postgres://tps:secret@${ADDRESS}:5432/tps`;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-tls-`));
    const cluster = path.join(dataDir, 'postgres');
    await (await startEmbedded({ dataDir: cluster })).stop();
    server = await startEmbedded({ dataDir: cluster, settings: await tlsSettings(cluster) });
  });
  after(async () => {
    await server.stop('immediate');
    await rm(dataDir, { recursive: true, force: true });
  });

  it('serves release, commands, web and worker by its plain address', async () => {
    const settings = testSettings(url, AWAY);
    const running: Running[] = [];
    try {
      const release = await runProgram('release', settings);
      expect(release.code, release.lines.join('\n')).to.equal(0);
      const minting = startScript('src/commands/partner-create.ts', settings, ['Tests']);
      expect((await minting.exited).code, minting.lines.join('\n')).to.equal(0);
      const web = await startWebProcess(settings);
      running.push(web);
      const worker = startProgram('worker', { ...settings, LOG_LEVEL: 'info' });
      running.push(worker);
      await worker.waitForLine(/worker is running/);

      const ready = await fetch(`${web.url}/readyz`);

      expect(ready.status).to.equal(200);
      expect(
        running.flatMap(({ lines }) => lines).filter((line) => /database connection|SSL|TLS/i.test(line)),
      ).to.deep.equal([]);
    } finally {
      for (const { kill } of running) kill('SIGKILL');
      await Promise.all(running.map(({ exited }) => exited));
    }
  });

  it('is checked against DATABASE_CA by verify-full', async () => {
    const right = await runProgram(
      'release',
      testSettings(url, AWAY, { DATABASE_TLS: 'verify-full', DATABASE_CA: CA }),
    );
    const unknown = await runProgram('release', testSettings(url, AWAY, { DATABASE_TLS: 'verify-full' }));

    expect(right.code, right.lines.join('\n')).to.equal(0);
    expect(unknown.code).to.equal(1);
    expect(unknown.lines.join('\n')).to.match(/self.signed certificate/);
  });

  it('is not reached without TLS', async () => {
    const { code, lines } = await runProgram('release', testSettings(url, AWAY, { DATABASE_TLS: 'off' }));

    expect(code).to.equal(1);
    expect(lines.join('\n'))
      .to.match(/pg_hba.conf/)
      .and.not.to.include('secret');
  });
});

describe('the protection of connections to the database', () => {
  const modes: { given: string; choice: Parameters<typeof withTls>[1]; mode: string }[] = [
    { given: '?sslmode=require', choice: { mode: 'auto' }, mode: 'no-verify' },
    { given: '?sslmode=verify-ca', choice: { mode: 'auto' }, mode: 'verify-full' },
    { given: '?sslmode=disable', choice: { mode: 'auto', environment: 'require' }, mode: 'disable' },
    { given: '?ssl=true', choice: { mode: 'auto' }, mode: 'no-verify' },
    { given: '', choice: { mode: 'auto', environment: 'verify-full' }, mode: 'verify-full' },
    { given: '?sslmode=disable', choice: { mode: 'require' }, mode: 'no-verify' },
    { given: '?sslmode=require', choice: { mode: 'off' }, mode: 'disable' },
  ];
  for (const { given, choice, mode } of modes) {
    it(`is ${mode} for ${given || 'a plain address'} and ${JSON.stringify(choice)}`, async () => {
      const secured = await withTls(`postgres://tps@db.invalid/tps${given}`, choice, ignore);

      expect(new URL(secured).searchParams.get('sslmode')).to.equal(mode);
    });
  }

  it('waits for a server that does not respond yet, and uses no TLS where it offers none', async () => {
    const responses = ['', '', 'N'];
    const server: Server = createServer((socket) => {
      socket.once('data', () => socket.end(responses.shift() ?? ''));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number }; // listening on TCP
    const waits: Error[] = [];

    const secured = await withTls(`postgres://tps@127.0.0.1:${port}/tps`, { mode: 'auto' }, (error) =>
      waits.push(error),
    );

    server.close();
    expect(new URL(secured).searchParams.get('sslmode')).to.equal('disable');
    expect(waits).to.have.length(2);
  });

  for (const [name, value] of [
    ['DATABASE_TLS', 'yes'],
    ['PGSSLMODE', 'sometimes'],
    ['DATABASE_CA', CA],
    ['DATABASE_URL', 'postgres://tps:secret@127.0.0.1/tps?sslmode=maybe'],
    ['DATABASE_URL', 'mysql://tps:secret@127.0.0.1/tps'],
  ] as const) {
    it(`rejects ${name}=${value.replace(CA, 'a file, without verify-full')}, by its name`, async () => {
      const settings = testSettings('postgres://tps@127.0.0.1/tps', AWAY, { [name]: value });

      const { code, lines } = await runProgram('release', settings);

      expect(code).to.equal(1);
      expect(lines.join('\n')).to.include(`Setting ${name}: `).and.not.to.include('secret');
    });
  }
});

/** Settings of a server that takes TLS only; its files belong to the account that runs it. */
async function tlsSettings(cluster: string): Promise<Record<string, string>> {
  const { uid, gid } = await stat(cluster);
  const serverFile = async (name: string, write: (file: string) => Promise<void>) => {
    const file = path.join(cluster, name);
    await write(file);
    await chmod(file, 0o600);
    await chown(file, uid, gid);
    return file;
  };
  return {
    listen_addresses: ADDRESS,
    ssl: 'on',
    ssl_cert_file: await serverFile('server.crt', (file) => copyFile(CA, file)),
    ssl_key_file: await serverFile('server.key', (file) => copyFile(path.join(FIXTURES, 'server.key'), file)),
    hba_file: await serverFile('tls_hba.conf', (file) =>
      writeFile(file, 'local all all trust\nhostssl all all all trust\n'),
    ),
  };
}
