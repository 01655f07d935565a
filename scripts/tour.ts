import { exchangeOrders } from './tour/exchange-orders.ts';
import { exchangeSession } from './tour/exchange-session.ts';
import { Astray, type Chapter, openGuide } from './tour/guide.ts';
import { networkFaults } from './tour/network-faults.ts';
import { networkOrders } from './tour/network-orders.ts';
import { networkRegistration } from './tour/network-registration.ts';
import { findService } from './tour/service.ts';
import { freeAccount } from './tour/v2-free.ts';
import { appAndUser } from './tour/v2-people.ts';
import { boughtAccount } from './tour/v2-purchase.ts';

/*
 * npm run tour: walks through the service, shows every request with its answer, and holds each against the ledger of the
 * sandbox. Ends 0 only if every step came out right.
 */
const chapters: Chapter[] = [
  networkRegistration,
  networkOrders,
  networkFaults,
  exchangeSession,
  exchangeOrders,
  appAndUser,
  boughtAccount,
  freeAccount,
];

const say = (line: string) => process.stdout.write(`${line}\n`);

async function walk(): Promise<void> {
  say('Finding a service to walk through …');
  const service = await findService(process.env);
  say(`It is at ${service.url}; its reference is at ${service.url}/docs.`);
  try {
    const guide = await openGuide(service, say);
    const told = new Map<string, string>();
    for (const [n, chapter] of chapters.entries()) {
      say(`\n${n + 1}. ${chapter.title}`);
      await chapter.walk({ ...guide, say: (line) => say(`\n  ${line}`) }, told);
    }
  } finally {
    await service.stop();
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  await walk();
  say('\nEvery step came out right.');
} catch (error) {
  say(`\n  ✗   ${error instanceof Astray ? error.message : error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
}
