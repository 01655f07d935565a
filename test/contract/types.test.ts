import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import createClient from 'openapi-fetch';
import { approvedCommit } from '../../src/capabilities/admin/approvals/commands.ts';
import type { Body } from '../../src/contract/body.ts';
import type { Call } from '../../src/contract/handler.ts';
import type { components, paths } from '../../src/contract/types.ts';
import { generateTypes } from './generate-types.ts';

describe('the generated types', () => {
  it('are checked in exactly as generated', async () => {
    const checkedIn = await readFile(new URL('../../src/contract/types.ts', import.meta.url), 'utf8');

    expect((await generateTypes()) === checkedIn, 'run npm run types').to.equal(true);
  }).timeout(20_000);

  it('let a client omit members with a default', async () => {
    const sent: unknown[] = [];
    const client = createClient<paths>({
      baseUrl: 'http://service.invalid',
      fetch: async (request) => {
        sent.push(await request.json());
        return Response.json({});
      },
    });

    await client.POST('/v1/orders/exvenue', {
      params: { header: { 'Trader-ID': '0x00000000000000000000000000000000000000aa' } },
      body: { pair: 'BTC-USDC', side: 'long', size: '0.01', order_type: 'market' },
    });
    await client.POST('/v2/payments/checkout', {
      body: { tier_id: 'tier_25k', market: 'crypto', asset_class: 'crypto', account_size: 25000, amount_cents: 19900 },
    });

    expect(sent).to.have.length(2);
    expect(sent[0]).not.to.have.any.keys('time_in_force', 'reduce_only', 'size_in_usd', 'is_cross');
    expect(sent[1]).not.to.have.property('currency');
  });

  it('give a handler the same members filled in', () => {
    const written: components['schemas']['ClosePositionRequest'] = { pair: 'BTC-USDC' };
    const filled: Body<'closeExvenuePosition'> = { ...written, max_slippage: 0.05 };

    // @ts-expect-error: the service has filled it in
    const unfilled: Body<'closeExvenuePosition'> = written;

    const slippage: number = filled.max_slippage;
    expect(slippage).to.equal(0.05);
    expect(unfilled).to.deep.equal({ pair: 'BTC-USDC' });
  });

  it('let only operations ask for an approval that may respond with 202 for it', () => {
    const declared = {} as Parameters<typeof approvedCommit>[0]; // as: nothing reads it before a commit
    const undeclared = {} as Call<'updatePartner', (typeof declared)['deps']>;

    // @ts-expect-error: 202 is no response of it
    const commits = [approvedCommit(declared, { subject: '' }), approvedCommit(undeclared, { subject: '' })];

    expect(commits).to.have.length(2);
  });
});
