import type { Area } from './area.ts';

/** What belongs to one owner, and is found, read and changed by it alone. */
export const OWNERSHIP: Area = {
  code: {
    files: ['src/capabilities/trading/accounts.ts'],
    tests: ['api/trading/gate', 'api/trading/keys', 'api/stream-tickets'],
  },
  sql: [
    {
      files: [
        'src/capabilities/enrollments/queries.ts',
        'src/venues/exchange/signing/queries.ts',
        'sql/functions/enrollments/revoke_enrollment.sql',
      ],
      tests: ['sql/foreign-rows'],
    },
    {
      files: [
        'src/venues/network/subaccounts/queries.ts',
        'src/venues/queries.ts',
        'src/capabilities/registration/queries.ts',
      ],
      tests: ['sql/foreign-rows', 'sql/foreign-orders'],
    },
    {
      files: ['src/capabilities/agreements/queries.ts', 'src/capabilities/agreements/chains/queries.ts'],
      tests: ['api/agreements', 'api/lists', 'sql/foreign-rows'],
    },
    {
      files: ['src/capabilities/trading/keys/commands.ts'],
      tests: [
        'sql/foreign-objects',
        'sql/credential-rows',
        'sql/credentials-in-use',
        'api/trading/keys',
        'sql/quarantine',
      ],
    },
    {
      files: ['src/capabilities/webhooks/commands.ts'],
      tests: ['api/webhook-pages', 'api/webhooks', 'sql/event-log', 'sql/owner-locks'],
    },
    {
      files: ['src/venues/exchange/orders/queries.ts'],
      tests: ['sql/foreign-orders'],
    },
    {
      files: ['src/venues/network/orders/queries.ts', 'sql/functions/orders/accept_network_orders.sql'],
      tests: [
        'sql/foreign-objects',
        'api/foreign-wallet',
        'api/netvenue-cancel',
        'api/netvenue-newest',
        'api/foreign-ids',
        'sql/foreign-lists',
        'sql/listed-and-paced',
      ],
    },
    {
      files: [
        'sql/functions/orders/accept_exchange_orders.sql',
        'sql/functions/trading/accept_trading_orders.sql',
        'src/capabilities/accounts/prop/queries.ts',
        'src/intents/follow.ts',
        'src/capabilities/kyc/queries.ts',
        'src/capabilities/payments/queries.ts',
        'src/capabilities/webhooks/deliveries/queries.ts',
        'src/capabilities/webhooks/queries.ts',
        'sql/functions/webhooks/deactivate_endpoint.sql',
        'sql/functions/webhooks/recover_endpoint.sql',
        'sql/functions/webhooks/redeliver.sql',
        'sql/functions/webhooks/rotate_webhook_secret.sql',
        'sql/functions/webhooks/test_endpoint.sql',
      ],
      tests: [
        'sql/foreign-objects',
        'sql/foreign-lists',
        'sql/listed-and-paced',
        'sql/owner-locks',
        'api/foreign-ids',
        'api/foreign-money',
      ],
    },
    {
      files: [
        'src/capabilities/payouts/queries.ts',
        'sql/functions/payouts/payout_obstacle.sql',
        'sql/functions/payouts/submit_payout.sql',
      ],
      tests: [
        'sql/foreign-objects',
        'sql/owner-locks',
        'api/foreign-ids',
        'api/foreign-money',
        'api/money/payout-conditions',
        'api/money/payout-steps',
        'api/money/stolen-payouts',
      ],
    },
  ],
};
