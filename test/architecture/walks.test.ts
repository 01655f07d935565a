import { glob, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Recorder, recordExecution } from '../support/executed.ts';
import { codeOf, PASSWORD, withinOneStep } from '../support/identity.ts';
import { checkOut, eventually, type Money, startMoney } from '../support/money.ts';
import { market } from '../support/orders.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';

/** The file limit of each walk, and its entry points: the two processes and the tasks its request queues. */
const walks = {
  order: { mostFiles: 47, tasks: ['network/place'] },
  checkout: {
    mostFiles: 67,
    tasks: ['payments/checkout', 'payments/notified', 'accounts/provision', 'webhooks/deliver'],
  },
  login: { mostFiles: 24, tasks: [] },
};
type Walk = keyof typeof walks;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GUIDE = new URL('../../src/docs/architecture.md', import.meta.url);

/*
 * The lists of files in the architecture guide are the files that really run. Regenerate them after moving code:
 *   WALKS=write npx mocha test/architecture/walks.test.ts
 */
describe('the walks of the architecture guide', () => {
  let service: Money;
  let receiver: Receiver;
  let recorder: Recorder;
  const crossed = {} as Record<Walk, string[]>; // as: filled before the tests run

  before(async function () {
    this.timeout(240_000);
    service = await startMoney();
    receiver = await startReceiver();
    recorder = await recordExecution();
    crossed.order = await recorder.filesOf(() => service.trader(), placeOrder);
    crossed.checkout = await recorder.filesOf(newBuyer, payCheckout);
    crossed.login = await recorder.filesOf(newUserWithTotp, logIn);
    for (const [walk, { tasks }] of entriesOf(walks))
      crossed[walk] = [...new Set([...crossed[walk], ...tasks.map((task) => `workers/${task}.ts`)])].sort();
    if (process.env.WALKS === 'write') await writeLists(crossed);
  });
  after(async () => {
    await recorder.stop();
    await receiver.close();
    await service.stop();
  });

  for (const [walk, { mostFiles }] of entriesOf(walks)) {
    it(`list exactly the files that run for ${walk}`, async () => {
      console.log(`    ${walk}: ${crossed[walk].length} files`);

      expect(await listedFiles(walk)).to.deep.equal(crossed[walk]);
    });

    it(`cross at most ${mostFiles} files for ${walk}`, () => {
      expect(crossed[walk].length).to.be.at.most(mostFiles);
    });
  }

  it('are reachable by imports from the named processes and tasks', async () => {
    const imports = await runtimeImports();

    const unreached = entriesOf(walks).flatMap(([walk, { tasks }]) => {
      const entries = ['src/web.ts', 'src/worker.ts', ...tasks.map((task) => `workers/${task}.ts`)];
      const reached = closure(imports, entries);
      return crossed[walk].filter((file) => !reached.has(file)).map((file) => `${walk}: ${file}`);
    });

    expect(unreached).to.deep.equal([]);
  });

  it('name every task that runs', () => {
    const tasks = (walk: Walk) => crossed[walk].filter((file) => file.startsWith('workers/'));

    for (const [walk, { tasks: named }] of entriesOf(walks))
      expect(tasks(walk)).to.have.members(named.map((task) => `workers/${task}.ts`));
  });

  async function placeOrder(trader: Awaited<ReturnType<Money['trader']>>): Promise<void> {
    const reply = await trader.post('/v1/orders/netvenue', market());
    expect(reply.status).to.equal(200);
  }

  async function newBuyer() {
    const app = await service.app(['api', 'webhooks']);
    await app.ask('POST', '/v2/webhook-endpoints', { json: { url: receiver.url, events: ['*'] } });
    return service.user(app);
  }

  async function payCheckout(buyer: Awaited<ReturnType<typeof newBuyer>>): Promise<void> {
    const before = { delivered: receiver.ledger.length, made: subaccounts() };
    const { client_secret } = await checkOut(buyer.ask);
    const body = new URLSearchParams({ do: 'pay' });
    await fetch(`${service.processor.url}/sandbox/pay/${client_secret}`, { method: 'POST', body });
    await eventually(async () => receiver.ledger.length > before.delivered && subaccounts() > before.made);
  }

  const subaccounts = () => service.miner.ledger.entries().filter(({ kind }) => kind === 'subaccount').length;

  async function newUserWithTotp() {
    const user = await service.user(service.tenant);
    await withinOneStep();
    const { body } = await user.ask('POST', '/v2/auth/totp/enroll');
    await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(body.secret, -1) } });
    return { email: user.email, seed: String(body.secret) };
  }

  async function logIn({ email, seed }: Awaited<ReturnType<typeof newUserWithTotp>>): Promise<void> {
    const json = { email, password: PASSWORD, totp_code: codeOf(seed) };
    const { body } = await service.tenant.ask('POST', '/v2/auth/login', { json });
    expect(body.session_token).to.be.a('string');
  }
});

/** The list of a walk is between two comments; a line has a folder and its files: "* `src/edge`: `address.ts`, …". */
const listOf = (walk: Walk) => new RegExp(`(<!-- files of ${walk} -->\n)([\\s\\S]*?)(<!-- end -->)`);

async function listedFiles(walk: Walk): Promise<string[]> {
  const list = listOf(walk).exec(await readFile(GUIDE, 'utf8'))?.[2] ?? '';
  return list
    .split('\n')
    .flatMap((line) => {
      const [folder, ...names] = [...line.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
      return names.map((name) => `${folder}/${name}`);
    })
    .sort();
}

async function writeLists(files: Record<Walk, string[]>): Promise<void> {
  let guide = await readFile(GUIDE, 'utf8');
  for (const [walk, crossed] of entriesOf(files))
    guide = guide.replace(listOf(walk), (_, open, __, end) => `${open}\n${lines(crossed)}\n\n${end}`);
  await writeFile(GUIDE, guide);
}

function lines(files: string[]): string {
  const byFolder = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf('/')));
  const names = (paths: string[]) => paths.map((path) => `\`${path.slice(path.lastIndexOf('/') + 1)}\``).join(', ');
  return [...byFolder].map(([folder, paths]) => `* \`${folder}\`: ${names(paths)}`).join('\n');
}

/** The files that each file imports when it runs; imports of types alone are erased. */
async function runtimeImports(): Promise<Map<string, string[]>> {
  const files = await Array.fromAsync(
    glob('{src,workers}/**/*.ts', { cwd: ROOT, exclude: (name) => name.endsWith('.d.ts') }),
  );
  return new Map(await Promise.all(files.map(async (file) => [file, await importsOf(file)] as const)));
}

async function importsOf(file: string): Promise<string[]> {
  const code = stripTypeScriptTypes(await readFile(path.join(ROOT, file), 'utf8'));
  const named = code.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g);
  return Array.from(named, ([, target = '']) => path.join(path.dirname(file), target));
}

function closure(imports: Map<string, string[]>, entries: string[]): Set<string> {
  const reached = new Set(entries);
  for (const file of reached) for (const next of imports.get(file) ?? []) reached.add(next);
  return reached;
}

function entriesOf<Key extends string, Value>(record: Record<Key, Value>): [Key, Value][] {
  return Object.entries(record) as [Key, Value][]; // as: Object.entries widens the keys
}
