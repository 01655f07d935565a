import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { document } from '../../src/contract/document.ts';

type Schema = { enum?: (string | null)[]; properties?: Record<string, Schema>; $ref?: string };

const SCHEMA = fileURLToPath(new URL('../../sql/schema.sql', import.meta.url));

/** The states that a row may have, by their constraint; the schema that shows them; what only a response says, not the row. */
const SHOWN: [constraint: string, schema: string, member?: string | undefined, more?: string[]][] = [
  ['admins_role_known', 'OperatorRole'],
  ['app_requests_status_known', 'AccessRequest', 'status'],
  ['apps_verification_level_known', 'AppSummary', 'verification_level'],
  ['intents_state_known', 'Intent', 'state'],
  ['kyc_cases_status_known', 'KycStatus', 'kyc_status'],
  ['ledger_accounts_kind_known', 'LedgerAccountKind'],
  ['ledger_transactions_kind_known', 'LedgerEntry', 'kind'],
  ['orders_lifecycle_known', 'NetvenueOrderStatus', 'lifecycle'],
  ['payments_status_known', 'PaymentStatus', undefined, ['refunded', 'disputed']],
  ['payout_steps_known', 'PayoutStep'],
  ['payout_steps_state_known', 'StrandedPayout', 'step_state'],
  ['payouts_status_known', 'PayoutStatus', undefined, ['delayed']],
  ['prop_accounts_status_known', 'PropAccountStatus'],
  ['registrations_status_known', 'RegistrationStatus', 'status', ['not_found']],
  ['webhook_deliveries_state_known', 'TroubledDelivery', 'state'],
  ['webhook_endpoints_reason_known', 'WebhookEndpoint', 'deactivated_because'],
];

describe('the states of rows', () => {
  const schemas = (document.components as { schemas: Record<string, Schema> }).schemas;
  let snapshot: string;
  before(async () => {
    snapshot = await readFile(SCHEMA, 'utf8');
  });

  const resolved = (schema?: Schema): Schema | undefined =>
    schema?.$ref ? resolved(schemas[schema.$ref.split('/').at(-1) ?? '']) : schema;

  for (const [constraint, name, member, more = []] of SHOWN)
    it(`are all in the contract: ${constraint}, shown by ${[name, member].filter(Boolean).join('.')}`, () => {
      const [line = ''] = new RegExp(`constraint ${constraint} .*`).exec(snapshot) ?? [];
      const known = [...line.matchAll(/'(\w+)'::text/g)].map(([, state]) => state);
      const shown = resolved(member ? resolved(schemas[name])?.properties?.[member] : schemas[name])?.enum ?? [];

      expect(known).to.have.length.above(1);
      expect(shown.filter((state) => state !== null)).to.have.members([...known, ...more]);
    });
});
