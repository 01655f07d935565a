/** Writes that other tests send twice under one key, by file of `test/api`. */
const ELSEWHERE = {
  'idempotent-writes.test.ts': `
    createAppRequest approveAccessRequest reissueAccessLink declineAccessRequest revealCredentials updateTenantApp disableTenantApp
    enableTenantApp disablePartner enablePartner signUpUser resendUserCode verifyUserEmail logInUser requestPasswordReset
    confirmPasswordReset enrollUserTotp confirmUserTotp removeUserAuthenticator`,
  'attached-registrations.test.ts': 'attachRegistration',
  'money/operators.test.ts': 'provisionAgain refundPayment reinstatePropAccount attachSubaccount',
  'money/undecided.test.ts': 'resolvePayout',
  'money/payout-steps.test.ts': 'reversePayout',
  'money/payout-delays.test.ts': 'cancelPayout',
  'money/stolen-payouts.test.ts': 'detachConnectAccount detachPayoutAccount',
  'money/replaced-accounts.test.ts': 'replaceConnectAccount',
  'money/losses.test.ts': 'abandonPropAccount',
  'money/proof.test.ts': 'proveLedger',
  'admin-users.test.ts': 'endUserSessions',
  'wallet-links.test.ts': 'moveWalletLink',
  'keyed-operators.test.ts': `
    inviteOperator acceptInvitation setOperatorRole endOperatorSessions resetOperatorAuthenticator disableOperator enableOperator
    approveRequest rejectRequest pauseWork endPause rerunIntents`,
  'register-exvenue.test.ts': 'registerExvenueTrader',
};

/** Every one of them. */
export const REPEATED_ELSEWHERE: ReadonlySet<string> = new Set(
  Object.values(ELSEWHERE).flatMap((names) => names.trim().split(/\s+/)),
);
