import { readFileSync } from 'node:fs';
import { argumentsOf, exitWithUsage } from './table.ts';
import { diagnose, readDelivery } from './webhook-diagnosis.ts';

/*
 * npm run ops -- verify --secret whsec_… [--tolerance 300] [delivery.txt]: says whether a delivery is authentic, else what is
 * wrong with it. It reads the file, or standard input: the headers, an empty line, and the body as received, byte for byte.
 */
const { positionals, values } = argumentsOf('verify', {
  most: 1,
  options: { secret: { type: 'string' }, tolerance: { type: 'string', default: '300' } },
});
const toleranceS = Number(values.tolerance);
if (!values.secret || !(toleranceS > 0)) exitWithUsage('verify');
const delivery = readDelivery(readFileSync(positionals[0] ?? 0));
if (!delivery) {
  process.stderr.write('There is no empty line between the headers and the body.\n');
  process.exit(2);
}
const { isAuthentic, lines } = await diagnose(delivery, values.secret, toleranceS);
process.stdout.write(`${lines.join('\n')}\n${isAuthentic ? 'Authentic.' : 'Not authentic.'}\n`);
process.exitCode = isAuthentic ? 0 : 1;
