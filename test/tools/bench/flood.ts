import { quantile } from '../../chaos/audit.ts';
import { type Ask, fresh, type Identity, PASSWORD, startIdentity, type TestApp } from '../../support/identity.ts';
import { type Extent, type Figures, within } from './figures.ts';

const AT_ONCE = 200;
const MOST_MS = 1_000;

/** FLOOD: log-ins of another app and of an operator while one app sends log-ins with random addresses. */
export async function measureFlood({ small }: Extent): Promise<Figures> {
  const samples = small ? 10 : 100;
  const service = await startIdentity({ THROTTLE_SCALE: '10000' }, false);
  const [flooded, other, admin] = [await service.app(), await service.app(), await service.admin()];
  const flood = startFlood(flooded);
  const [users, operators] = [[] as number[], [] as number[]];
  for (let n = 0; n < samples; n += 1) {
    users.push(await timed(() => logIn(other.ask, '/v2/auth/login', address())));
    operators.push(await timed(() => logIn(service.ask, '/v2/admin/login', admin.email)));
  }
  const served = await flood.stop();
  await service.stop();
  return {
    name: 'FLOOD',
    title: `log-ins while one app has ${AT_ONCE} with random addresses open (${served} served); ${samples} of each`,
    rows: [
      within(MOST_MS, { what: 'another app, p95', figure: quantile(users, 0.95), unit: 'ms' }),
      within(MOST_MS, { what: 'an operator, p95', figure: quantile(operators, 0.95), unit: 'ms' }),
    ],
  };
}

function startFlood(app: TestApp) {
  let isOver = false;
  let served = 0;
  const flooder = async () => {
    while (!isOver) {
      await logIn(app.ask, '/v2/auth/login', address(), `2001:db8:${(++served % 65_536).toString(16)}::1`);
    }
  };
  const flooders = Array.from({ length: AT_ONCE }, flooder);
  return {
    async stop() {
      isOver = true;
      await Promise.all(flooders);
      return served;
    },
  };
}

const address = () => `${fresh('someone')}@example.com`;

const logIn = (ask: Ask, path: string, email: string, from = '192.0.2.1'): ReturnType<Identity['ask']> =>
  ask('POST', path, { json: { email, password: PASSWORD }, headers: { 'X-End-User-Address': from } });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
