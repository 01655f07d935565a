import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { magicSizes } from '../../src/sandbox/exchange/magic.ts';
import { faultKinds } from '../../src/sandbox/faults.ts';
import { magicSizes as accountSizes, magicLeverages } from '../../src/sandbox/network/magic.ts';
import { magicAmounts } from '../../src/sandbox/processor/magic.ts';
import { magicEmails } from '../../src/sandbox/registrar/magic.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start.ts';
import { type Ask, asking } from '../support/identity.ts';

const HOSTILE = `<script>alert("1")</script><img src=x onerror='alert(2)'>`;
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
/** Linux listens on all of 127.0.0.0/8, so this address distinguishes 127.0.0.1 from every address. */
const OTHER_ADDRESS = '127.0.0.2';

describe('the site of the sandbox', () => {
  const advanced: number[] = [];
  let folder: string;
  let sandbox: Sandbox;
  let server: Server;
  let url: string;
  let ask: Ask;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-site-`));
    const advanceDatabase = async (seconds: number) => void advanced.push(seconds);
    sandbox = await startSandbox({ folder, host: '0.0.0.0', advanceDatabase, advanceAccount: async () => null });
    server = createServer(sandbox.site).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // as: it listens on TCP
    ask = asking(url);
    sandbox.announce('http://127.0.0.1:9', 'http://sandbox.example:3000');
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const processor = () => {
    const { PROCESSOR_URL = '', PROCESSOR_SECRET_KEY } = sandbox.settings;
    return asking(PROCESSOR_URL, { authorization: `Bearer ${PROCESSOR_SECRET_KEY}` });
  };
  const atProcessor = async (route: string, form: Record<string, string> = {}) =>
    (await processor()('POST', `/v1/${route}`, { form })).body;
  const pageOf = async (address: string, init: RequestInit = {}) => {
    const response = await fetch(address, { ...init, headers: BROWSER, redirect: 'manual' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const press = (address: string, button: string) =>
    pageOf(address, { method: 'POST', body: new URLSearchParams({ do: button }) });
  const steer = (upstream: string, control: string, method: string, json?: object) =>
    ask(method, `/sandbox/${upstream}/${control}`, json && { json });

  it('describes itself from the definitions, as JSON and as a page', async () => {
    const { body: described } = await ask('GET', '/sandbox');
    const page = await pageOf(`${url}/sandbox`);

    expect(described.magic_values.map(({ value }: { value: string }) => value)).to.deep.equal(
      [
        magicLeverages.map(({ leverage }) => leverage),
        magicAmounts.map(({ cents }) => cents),
        accountSizes.map(({ size }) => size),
        magicSizes.map(({ size }) => size),
        magicEmails.map(({ name }) => `${name}@…`),
      ]
        .flat()
        .map(String),
    );
    expect(described.faults.map(({ kind }: { kind: string }) => kind)).to.deep.equal(Object.keys(faultKinds));
    for (const { effect } of [...described.magic_values, ...described.faults]) expect(page.text).to.include(effect);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
  });

  it('shows the ledger of each upstream and passes control calls on', async () => {
    for (const name of ['network', 'exchange', 'registrar', 'processor'])
      expect((await steer(name, 'ledger', 'GET')).status).to.equal(200);
    await atProcessor('payment_intents', { amount: '500', currency: 'usd' });

    const { body: all } = await steer('processor', 'ledger', 'GET');
    const { body: none } = await steer('processor', `ledger?after=${all.length}`, 'GET');
    const moved = await steer('network', 'price', 'POST', { pair: 'BTCUSDC', price: 70_000 });

    expect(all.at(-1)).to.include({ upstream: 'processor', kind: 'payment_intent' });
    expect(none).to.deep.equal([]);
    expect(moved.body).to.deep.include({ pair: 'BTCUSDC', price: 70_000 });
    expect((await steer('network', 'price', 'POST', { pair: 'nothing' })).status).to.equal(400);
    expect((await steer('network', '..%2Fminer', 'GET')).status).to.equal(404);
    expect((await steer('other', 'ledger', 'GET')).status).to.equal(404);
  });

  it('scripts a fault at an upstream and clears it', async () => {
    await steer('processor', 'faults', 'POST', { kind: 'status_500', route: '/v1/accounts' });
    const failed = await atProcessor('accounts');
    await steer('processor', 'faults', 'DELETE');
    const made = await atProcessor('accounts');

    expect(failed).to.deep.equal({ error: 'scripted fault' });
    expect(made).to.include({ object: 'account' });
  });

  it('shows mails as pages in which nothing of a mail is markup', async () => {
    const transport = createTransport(sandbox.settings.SMTP_URL);
    const to = 'reader@example.com';
    const text = `${HOSTILE} https://example.com/reset?token=a&b=1`;
    await transport.sendMail({ from: 'a@example.com', to, subject: HOSTILE, text, html: `<p>${HOSTILE}</p>` });
    transport.close();

    const [mail] = (await ask('GET', `/sandbox/mails?to=${to}`)).body;
    const list = await pageOf(`${url}/sandbox/mails?to=${encodeURIComponent(`"${HOSTILE}`)}`);
    const all = await pageOf(`${url}/sandbox/mails`);
    const page = await pageOf(`${url}/sandbox/mails/${mail.seq}`);

    expect(mail).to.include({ subject: HOSTILE }).and.to.have.property('text').that.includes(HOSTILE);
    for (const shown of [list, all, page]) {
      expect(shown.status).to.equal(200);
      expect(shown.text).not.to.match(/<script|<img/);
      expect(shown.headers.get('content-security-policy')).to.include("default-src 'none'");
    }
    expect(page.text).to.include('href="https://example.com/reset?token=a&amp;b=1"');
    expect(page.text).to.match(/<iframe sandbox /);
    expect((await fetch(`${url}/sandbox/mails/999`)).status).to.equal(404);
  });

  it('pays, and leads back to the shop with what became of it', async () => {
    const shop = 'https://shop.example/done?cart=7';
    const [paid, declined] = [
      await atProcessor('payment_intents', { amount: '500', currency: 'usd' }),
      await atProcessor('payment_intents', { amount: '500', currency: 'usd' }),
    ];
    const query = new URLSearchParams({ return_url: shop, cancel_url: 'https://shop.example/cart' });
    const pageFor = ({ client_secret }: { client_secret: string }) => `${url}/sandbox/pay/${client_secret}?${query}`;

    const shown = await pageOf(pageFor(paid));
    const [success, failure] = [await press(pageFor(paid), 'pay'), await press(pageFor(declined), 'decline')];

    expect(shown.text).to.include('Pay 5.00 USD').and.to.include('href="https://shop.example/cart"');
    const back = (page: typeof success) => new URL(page.headers.get('location') ?? '');
    expect(success.status).to.equal(303);
    expect(back(success).href).to.match(/^https:\/\/shop\.example\/done\?cart=7&/);
    expect(back(success).searchParams.get('redirect_status')).to.equal('succeeded');
    expect(back(success).searchParams.get('payment_intent')).to.equal(paid.id);
    expect(back(failure).searchParams.get('redirect_status')).to.equal('failed');
  });

  it('leads back to addresses of the web only', async () => {
    const { client_secret } = await atProcessor('payment_intents', { amount: '500', currency: 'usd' });
    const query = new URLSearchParams({ return_url: 'javascript:alert(1)', cancel_url: `javascript:"${HOSTILE}` });

    const shown = await pageOf(`${url}/sandbox/pay/${client_secret}?${query}`);
    const pressed = await press(`${url}/sandbox/pay/${client_secret}?${query}`, 'pay');

    expect(shown.text).not.to.match(/javascript|<script/);
    expect(pressed.status).to.equal(200);
    expect(pressed.headers.get('location')).to.equal(null);
    expect(pressed.text).to.include('succeeded');
  });

  it('makes links that work from another machine, and lead back from there', async () => {
    const session = await atProcessor('identity/verification_sessions', { return_url: 'https://shop.example/kyc' });
    const account = await atProcessor('accounts');
    const ways = { return_url: 'https://shop.example/bank', refresh_url: 'https://shop.example/again' };
    const link = await atProcessor('account_links', { account: account.id, ...ways });
    const here = (address: string) => address.replace('http://sandbox.example:3000', url);

    const [verified, connected] = [await press(here(session.url), 'verified'), await press(here(link.url), 'connect')];

    for (const address of [session.url, link.url])
      expect(address).to.match(/^http:\/\/sandbox\.example:3000\/sandbox\//);
    expect(verified.headers.get('location')).to.equal('https://shop.example/kyc');
    expect(connected.headers.get('location')).to.equal('https://shop.example/bank');
    expect((await pageOf(here(link.url))).text).to.include('href="https://shop.example/again"');
  });

  it('advances the clock of the database and of every upstream, by JSON or the form', async () => {
    const before = await atProcessor('payment_intents', { amount: '500', currency: 'usd' });

    const json = await ask('POST', '/sandbox/clock/advance', { json: { seconds: 3_600 } });
    const form = await pageOf(`${url}/sandbox/clock/advance`, {
      method: 'POST',
      body: new URLSearchParams({ seconds: '60' }),
    });

    expect(json.body).to.deep.equal({ advanced_s: 3_600 });
    expect(form.text).to.include('60 seconds have passed');
    expect(advanced).to.deep.equal([3_600, 60]);
    const { body: after } = await processor()('GET', `/v1/payment_intents/${before.id}`);
    expect(after.created).to.equal(before.created - 3_660);
  });

  for (const body of ['{"seconds": -5}', '{"seconds": 1.5}', '{"seconds": "60s"}', '{}', '', '{"seconds": 99999999}'])
    it(`rejects ${body || 'nothing'} as a time to pass`, async () => {
      const earlier = advanced.length;

      const { status } = await fetch(`${url}/sandbox/clock/advance`, { method: 'POST', body });

      expect(status).to.equal(400);
      expect(advanced).to.have.length(earlier);
    });

  it('has every upstream listen where HOST says', async function () {
    if (process.platform !== 'linux') this.skip();
    const addresses = Object.entries(sandbox.settings).filter(([name, value]) => /_URL$/.test(name) && value);
    const others = addresses
      .filter(([name]) => name !== 'SMTP_URL')
      .map(([, value]) => value.replace('127.0.0.1', OTHER_ADDRESS));

    const responses = await Promise.all(others.map((address) => fetch(address)));
    const transport = createTransport((sandbox.settings.SMTP_URL ?? '').replace('127.0.0.1', OTHER_ADDRESS));

    expect(others.length).to.be.above(4);
    for (const { status } of responses) expect(status).to.be.below(500);
    expect(await transport.verify()).to.equal(true);
    transport.close();
  });
});
