import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { magicSizes } from '../../src/sandbox/exchange/magic.ts';
import { faultKinds } from '../../src/sandbox/faults.ts';
import { magicSizes as accountSizes, magicLeverages } from '../../src/sandbox/network/magic.ts';
import { controlCalls } from '../../src/sandbox/overview.ts';
import { magicAmounts } from '../../src/sandbox/processor/magic.ts';
import { magicEmails } from '../../src/sandbox/registrar/magic.ts';
import { sandboxTiers } from '../../src/sandbox/tiers.ts';

const row = (...cells: unknown[]) => `| ${cells.join(' | ')} |`;
const code = (text: unknown) => `\`${text}\``;

/** What a call does, and what its members are. */
const effectOf = ({ does, members }: (typeof controlCalls)[number]) =>
  [
    does,
    ...members.map(
      ({ name, optional, description }) => `${code(name)}${optional ? ' (optional)' : ''}: ${description}.`,
    ),
  ].join(' ');

/** The rows of the guide, from the definitions of the sandbox. */
const tables = (): Record<string, string[]> => ({
  LEVERAGES: magicLeverages.map(({ leverage, description }) => row(code(leverage), description)),
  SIZES: magicSizes.map(({ size, description }) => row(code(size), description)),
  AMOUNTS: magicAmounts.map(({ cents, description }) => row(code(cents), description)),
  ACCOUNTS: accountSizes.map(({ size, description }) => row(code(size), description)),
  EMAILS: magicEmails.map(({ name, description }) => row(code(`${name}@…`), description)),
  FAULTS: Object.entries(faultKinds).map(([kind, description]) => row(code(kind), description)),
  CONTROLS: controlCalls.map((call) =>
    row(code(`${call.method} ${call.path}`), call.body && code(JSON.stringify(call.body)), effectOf(call)),
  ),
  TIERS: sandboxTiers.map(({ tier_id, market, account_size, amount_cents }) =>
    row(code(tier_id), market, `${account_size} USD`, `${amount_cents / 100} USD`),
  ),
});

describe('the guide of the sandbox', () => {
  it('lists the magic values, faults, control calls and tiers as they are defined', async () => {
    const guide = await readFile(new URL('../../src/docs/sandbox.md', import.meta.url), 'utf8');
    const written = [...guide.matchAll(/^\|---.*\n((?:\|.*\n)+)/gm)].map(([, rows = '']) => rows.trim().split('\n'));

    expect(written).to.deep.equal(Object.values(tables()));
  });
});
