-- Whether an intent keeps the Idempotency-Key that it was submitted under: it is open, has an effect, or ended for good. A failure that passes
-- or that somebody can remedy (the codes below: error-laws.ts, compared by a test) is proven to have had no effect, and a repeat under its key
-- is a new attempt. A placement under an id of the caller has that id still.
create or replace function spends_key(i intents) returns boolean
language sql immutable as $$
  select not (
    i.settled_at is not null and i.state <> 'succeeded' and i.outcome -> 'problem' ->> 'effect' is null
    and i.outcome -> 'problem' ->> 'code' = any (array[
      'DEADLINE_PASSED', 'FORBIDDEN_ORIGIN', 'NOT_CARRIED_OUT', 'NOT_READY', 'PROCESSOR_AUTH', 'PROCESSOR_SHORT', 'PROCESSOR_UNREACHABLE',
      'PROCESSOR_UNREADABLE', 'RATE_LIMITED', 'REQUEST_TIMEOUT', 'SERVICE_UNAVAILABLE', 'V1_BALANCE_TOO_LOW', 'V1_KEY_INVALID',
      'V1_KEY_NOT_AUTHORIZED', 'V1_KEY_REJECTED', 'V1_KEY_ROTATING', 'V1_NOT_ENROLLED', 'V1_NO_PRICE', 'V1_ORDER_IN_DOUBT',
      'V1_PAYMENT_REFUSED', 'V1_PAYMENT_TERMS_UNFIT', 'V1_REGISTRAR_UNREACHABLE', 'V1_REGISTRATION_CAP', 'V1_REGISTRATION_UNDER_WAY',
      'V1_STREAM_LIMIT', 'V1_STREAM_TICKET_INVALID', 'V1_TRADER_NOT_READY', 'V1_WALLET_UNPROVEN', 'V1_WEBHOOK_INACTIVE', 'V1_WEBHOOK_RECOVERY_PAUSED',
      'V1_WEBHOOK_TOO_MANY', 'V2_ACCOUNT_NOT_FUNDED', 'V2_ACCOUNT_NOT_TRADEABLE', 'V2_ADMIN_SESSION_INVALID', 'V2_API_KEY_INVALID',
      'V2_API_KEY_TOO_MANY', 'V2_CONNECT_URLS_NOT_CONFIGURED', 'V2_EMAIL_NOT_VERIFIED', 'V2_KYC_REQUIRED', 'V2_MFA_NOT_STARTED',
      'V2_OPERATOR_RELEASE_REQUIRED', 'V2_ORDER_IN_DOUBT', 'V2_PASSWORD_RESET_REQUIRED', 'V2_PAYMENTS_NOT_CONFIGURED',
      'V2_PAYOUT_ACCOUNT_NOT_READY', 'V2_PAYOUT_DESTINATION_HELD', 'V2_PAYOUT_UNDER_REVIEW', 'V2_REAUTHENTICATION_REQUIRED',
      'V2_SCOPE_MISSING', 'V2_SECRET_SUPERSEDED', 'V2_SESSION_INVALID', 'V2_STREAM_LIMIT', 'V2_STREAM_TICKET_INVALID', 'V2_SUBACCOUNT_NOT_READY', 'V2_THROTTLED',
      'V2_TOKEN_INVALID', 'V2_TOTP_REQUIRED', 'V2_TRADER_NOT_READY', 'V2_WALLET_UNPROVEN', 'V2_WEBHOOK_INACTIVE',
      'V2_WEBHOOK_RECOVERY_PAUSED', 'V2_WEBHOOK_TOO_MANY', 'VENUE_AUTH', 'VENUE_COOLDOWN', 'VENUE_RATE_LIMITED', 'VENUE_UNREACHABLE',
      'VENUE_UNREADABLE'
    ])
  )
$$;
