import { type Area, functions } from './area.ts';
import { OWNERSHIP } from './ownership.ts';

const users = (...names: string[]) => functions('users', ...names);
const NONE: Area['sql'] = [];

/** Every area by its name. Tests that start processes or a browser are left out: too slow to repeat for every mutant. */
export const AREAS: Record<string, Area> = {
  sealing: {
    code: {
      files: ['src/kernel/seal.ts', 'src/kernel/head-keys.ts', 'src/capabilities/webhooks/secrets.ts'],
      tests: ['kernel/seal', 'kernel/head-keys', 'kernel/webhook-secrets'],
    },
    sql: NONE,
  },
  signatures: {
    code: {
      files: ['src/adapters/webhook/sign.ts', 'src/adapters/processor/index.ts#isSigned', 'src/kernel/wallet-proof.ts'],
      tests: ['adapters/webhook-signatures', 'adapters/processor-signatures', 'kernel/wallet-proof'],
    },
    sql: NONE,
  },
  passwords: {
    code: {
      files: ['src/kernel/passwords.ts', 'src/kernel/concurrency.ts', 'src/kernel/totp.ts'],
      tests: ['kernel/passwords', 'kernel/concurrency', 'kernel/totp'],
    },
    sql: NONE,
  },
  callers: {
    code: {
      files: ['src/edge/authenticate.ts', 'src/kernel/principal.ts'],
      tests: ['edge/authenticate', 'edge/authenticate-operators', 'kernel/scopes', 'kernel/principal'],
    },
    sql: [
      {
        files: [
          'src/capabilities/admin/queries.ts',
          'src/capabilities/apps/commands.ts',
          'src/capabilities/apps/tokens/commands.ts',
          'src/capabilities/apps/queries.ts',
          'src/capabilities/partners/queries.ts',
          'src/capabilities/trading/keys/queries.ts',
        ],
        tests: ['sql/credential-rows', 'sql/app-secrets'],
      },
      { files: ['src/capabilities/users/queries.ts'], tests: ['sql/user-rows'] },
      {
        files: functions('apps', 'is_disabled', 'rotate_app_secret'),
        tests: ['sql/app-secrets', 'sql/credentials-in-use'],
      },
    ],
  },
  sessions: {
    code: {
      files: [
        'src/capabilities/login/check.ts',
        'src/capabilities/users/attempts.ts',
        'src/capabilities/users/commands.ts',
        'src/capabilities/users/http.ts',
        'src/capabilities/users/login-codes/commands.ts',
        'src/capabilities/users/sessions/commands.ts',
        'src/capabilities/users/sessions/http.ts',
        'src/capabilities/users/totp/commands.ts',
        'src/capabilities/users/totp/http.ts',
      ],
      tests: [
        'api/log-ins',
        'api/sessions',
        'api/throttles',
        'api/totp',
        'api/sign-ups',
        'api/account-recovery',
        'api/totp-guessing',
        'api/users',
        'api/mail-flood',
        'api/stolen-session',
        'sql/quarantine',
        'sql/user-rows',
      ],
    },
    sql: [
      {
        files: ['src/capabilities/users/sessions/commands.ts'],
        tests: ['api/sessions', 'api/account-recovery', 'sql/user-rows'],
      },
      { files: ['src/capabilities/users/sessions/queries.ts'], tests: ['sql/user-rows'] },
      {
        files: ['src/capabilities/users/totp/commands.ts'],
        tests: ['sql/first-codes', 'sql/user-locks', 'api/totp', 'api/account-recovery'],
      },
      {
        files: users('confirm_reset', 'prove_password', 'reauthenticate', 'remove_session', 'request_reset'),
        tests: ['sql/user-functions', 'sql/user-locks'],
      },
      {
        files: [...users('quarantine'), ...functions('payouts', 'note_payout_link')],
        tests: ['sql/quarantine', 'sql/user-functions', 'sql/listed-and-paced'],
      },
      {
        files: users('renew_code', 'sign_up', 'try_code', 'try_login_code', 'verify_by_code'),
        tests: ['sql/user-codes', 'sql/user-locks'],
      },
    ],
  },
  operators: {
    code: {
      files: [
        'src/capabilities/admin/sessions/check.ts',
        'src/capabilities/admin/sessions/commands.ts',
        'src/capabilities/admin/sessions/http.ts',
        'src/capabilities/admin/totp/commands.ts',
        'src/capabilities/admin/totp/http.ts',
        'src/capabilities/admin/totp/attempts.ts',
        'src/capabilities/admin/users/commands.ts',
        'src/edge/rejections.ts',
      ],
      tests: [
        'api/admin-log-in',
        'api/admin-audit',
        'api/admin',
        'api/admin-users',
        'api/account-recovery',
        'api/totp-guessing',
      ],
    },
    sql: [
      {
        files: ['src/capabilities/admin/sessions/commands.ts', 'src/capabilities/admin/totp/commands.ts'],
        tests: ['sql/first-codes', 'sql/credential-rows', 'api/admin', 'api/admin-recovery'],
      },
      {
        files: [
          'sql/functions/accounts/has_proven_wallet.sql',
          'sql/functions/accounts/move_wallet_link.sql',
          'sql/functions/admins/open_admin_session.sql',
        ],
        tests: ['sql/foreign-rows', 'sql/approvals'],
      },
      {
        files: [
          'src/capabilities/admin/approvals/commands.ts',
          ...functions('admins', 'ask_for_approval', 'decide_approval', 'use_approval'),
        ],
        tests: ['sql/approvals', 'api/approvals'],
      },
      {
        files: [
          'src/capabilities/admin/operators/commands.ts',
          ...functions('admins', 'accept_invitation', 'disable_operator', 'end_operator_sessions', 'invite_operator'),
          ...functions('admins', 'operator_obstacle', 'remove_operator_authenticator', 'set_operator_role'),
        ],
        tests: ['sql/approvals', 'api/operators'],
      },
    ],
  },
  throttles: {
    code: {
      files: ['src/kernel/throttles.ts', 'src/db/throttles.ts', 'src/edge/throttle.ts'],
      tests: [
        'kernel/throttles',
        'edge/address',
        'edge/throttle',
        'api/fair-log-ins',
        'api/mail-flood',
        'api/throttles',
      ],
    },
    sql: [
      { files: ['src/kernel/throttles.ts'], tests: ['kernel/throttles'] },
      { files: functions('throttles', 'spend'), tests: ['sql/spend'] },
    ],
  },
  ownership: OWNERSHIP,
  streams: {
    code: {
      files: [
        'src/capabilities/streams/limit.ts',
        'src/capabilities/streams/listener.ts',
        'src/capabilities/streams/rules.ts',
        'src/capabilities/streams/tickets/commands.ts',
      ],
      tests: ['rules/streams', 'sql/stream-logs'],
    },
    sql: [
      {
        files: [
          'src/capabilities/trading/stream/queries.ts',
          'src/capabilities/events/stream/queries.ts',
          ...users('is_live_session'),
        ],
        tests: ['sql/credentials-in-use', 'sql/stream-logs'],
      },
      { files: ['src/capabilities/streams/tickets/commands.ts'], tests: ['sql/stream-logs'] },
      {
        files: functions('trading', 'account_events_after', 'account_log_end', 'listen_to_accounts'),
        tests: ['sql/account-events', 'sql/stream-logs'],
      },
    ],
  },
  idempotency: {
    code: {
      files: ['src/db/idempotent-responses.ts', 'src/edge/idempotency.ts'],
      tests: ['edge/idempotency', 'sql/idempotent-rows'],
    },
    sql: [
      {
        files: ['src/db/idempotent-responses.ts', 'src/edge/call.ts', ...functions('idempotency', 'reserve_key')],
        tests: ['sql/idempotent-rows', 'api/callers-apart'],
      },
      { files: functions('intents', 'accept_intents', 'accept_one_by_one'), tests: ['sql/intents', 'sql/acceptance'] },
      { files: ['src/kernel/ids.ts', ...functions('orders', 'order_id_of')], tests: ['api/order-names', 'kernel/ids'] },
    ],
  },
  events: {
    code: {
      files: ['src/capabilities/events/http.ts'],
      tests: ['api/event-filters'],
    },
    sql: [
      { files: ['src/capabilities/events/queries.ts'], tests: ['api/event-filters', 'sql/stream-logs'] },
      {
        files: [...functions('events', 'emit_events', 'record_events'), ...functions('webhooks', 'fan_out')],
        tests: ['sql/event-log'],
      },
      {
        files: functions('agreements', 'agreement_canonical', 'sign_agreement'),
        tests: ['sql/agreements', 'api/agreements'],
      },
    ],
  },
};
