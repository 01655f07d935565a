/**
 * Who may call which operation, written from the specification and not from the contract: the oracle of the tests of
 * authorization. A new operation has to be entered here by session.
 */

/** A set of credentials that is enough: security schemes, with the scopes or roles that each must carry. */
type Grant = Record<string, string[]>;

/** A session of an operator with these roles. */
function operator(...roles: string[]): Grant[] {
  return [{ adminBearer: roles }, { adminCookie: roles }];
}

/** The sets of credentials of each kind of caller. Any one of them is enough; without any, no credential is needed. */
const CALLERS = {
  partner: [{ partnerKey: [] }],
  'client, or anyone': [{}, { clientBasic: [] }],
  'app with any scope': [{ appToken: [] }],
  'app for api': [{ appToken: ['api'] }],
  anyone: [],
  'any operator': operator('enrolled', 'viewer'),
  'support or admin': operator('enrolled', 'support'),
  'finance or admin': operator('enrolled', 'finance'),
  admin: operator('enrolled', 'admin'),
  'operator without an authenticator': operator('viewer'),
  user: [{ appToken: ['api'], userSession: [] }],
  'user, or app for api': [{ appToken: ['api'] }, { appToken: ['api'], userSession: [] }],
  'any operator, or app for everything': [...operator('enrolled', 'viewer'), { appToken: ['*'] }],
  'partner, or a ticket': [{ partnerKey: [] }, { partnerTicket: [] }],
  processor: [{ processorSignature: [] }],
  'user of an app for payouts': [{ appToken: ['payouts:write'], userSession: [] }],
  'app for webhooks': [{ appToken: ['webhooks'] }],
  'user of an app for trading': [{ appToken: ['trading'], userSession: [] }],
  'user, or app for trading': [{ appToken: ['trading'] }, { appToken: ['trading'], userSession: [] }],
  trader: [{ appToken: ['trading'] }, { appToken: ['trading'], userSession: [] }, { traderKey: [] }],
  'trader, or a ticket': [
    { appToken: ['trading'] },
    { appToken: ['trading'], userSession: [] },
    { traderKey: [] },
    { accountTicket: [] },
  ],
} satisfies Record<string, Grant[]>;

/** The operations of each kind of caller. */
const OPERATIONS: Record<keyof typeof CALLERS, string> = {
  partner: `
    submitNetvenueOrder listNetvenueOrders closeNetvenuePosition setNetvenueTpSl getNetvenueOrder cancelNetvenueOrder
    editNetvenueOrder listSessions enrollSession getSession revokeSession listExvenueOrders
    submitExvenueOrder cancelAllExvenueOrders closeExvenuePosition setExvenueTpSl cancelExvenueOrder getExvenueOrder
    registerNetvenueTrader createWalletChallenge registerExvenueTrader getExvenueRegistration getBalance
    getExchangeBalance getSpotBalance getLeverageLimits listNetvenuePositions listExvenuePositions listRules
    listSupportedPairs validateTrade listPayouts getPendingPayout listClosedPositions listFilledOrders
    getPartnerIntent listPartnerEvents issuePartnerStreamTicket listPartnerStatement searchPartnerRecords listPartnerRequests listPartnerUsage
    listOwnKeys rollOwnKey
    createPartnerWebhookEndpoint listPartnerWebhookEndpoints updatePartnerWebhookEndpoint
    deactivatePartnerWebhookEndpoint rotatePartnerWebhookSecret testPartnerWebhookEndpoint
    listPartnerWebhookDeliveries recoverPartnerWebhookEndpoint getPartnerWebhookDelivery redeliverPartnerWebhook
  `,
  'client, or anyone': `
    issueAccessToken revokeAccessToken
  `,
  'app with any scope': `
    getOauthPrincipal getOwnApp
  `,
  'app for api': `
    listOwnSecrets rotateOwnAppSecret signUpUser verifyUserEmail logInUser resendUserCode requestPasswordReset
    confirmPasswordReset getAppIntent listTiers sendNotification listAppStatement searchAppRecords listAppRequests listAppUsage
  `,
  anyone: `
    acceptInvitation createAppRequest showRevealPage revealCredentials getAuthorizationServer logInAdmin getHealth
    getReadiness getAgreementKeys
  `,
  'any operator': `
    listApprovals getApproval approveRequest rejectRequest
    logOutAdmin getCurrentAdmin listTenantApps listAllPartners getPartner listKeysOfPartner listAllTiers
    listUnfulfilledPayments listStrandedPayouts listFailedAccounts listTroubledIntents getIntentStory
    listTroubledDeliveries listDeadJobs getQueueHealth getUpstreams getFleet getFigures listOperatorActions
    listOrdersOfTrader assessReruns listPauses
    listLedgerAccounts listLedgerBalances listLedgerEntries listLedgerDifferences
  `,
  'support or admin': `
    removeUserAuthenticator getUserRecord endUserSessions rerunIntent retryDelivery rerunDeadJob listFailedMails
    searchRecords detachPayoutAccount listDisputes rerunIntents pauseWork endPause
  `,
  'finance or admin': `
    putTier refundPayment reversePayout resolvePayout provisionAgain attachSubaccount attachRegistration reinstatePropAccount
    abandonPropAccount proveLedger closeLedgerMonth
  `,
  admin: `
    listOperators inviteOperator setOperatorRole disableOperator enableOperator endOperatorSessions resetOperatorAuthenticator
    createTenantApp updateTenantApp disableTenantApp enableTenantApp rotateTenantAppSecret listAccessRequests
    approveAccessRequest declineAccessRequest reissueAccessLink registerPartner updatePartner disablePartner
    enablePartner mintKeyOfPartner revokeKeyOfPartner moveWalletLink releaseOperator
  `,
  'operator without an authenticator': `
    enrollAdminAuthenticator confirmAdminAuthenticator
  `,
  user: `
    reauthenticateUser listUserSessions getCurrentUser enrollUserTotp confirmUserTotp disableUserTotp checkOut openFreeAccount
    getPayment listPropAccounts getPropAccount syncPropAccount getKycStatus startIdentitySession
    listConnectAccounts openConnectAccount replaceConnectAccount detachConnectAccount renewOnboardingLink listUserPayouts
    estimatePayout signAgreement getAgreementStatus listAgreementAudits
  `,
  'user, or app for api': `
    revokeUserSession
  `,
  'any operator, or app for everything': `
    listFailedPropAccounts listPaymentRecords listPayoutRecords
  `,
  processor: `
    takeProcessorNotification
  `,
  'user of an app for payouts': `
    requestPayout submitPayout cancelPayout
  `,
  'app for webhooks': `
    listWebhookEndpoints createWebhookEndpoint updateWebhookEndpoint deactivateWebhookEndpoint
    rotateWebhookSecret testWebhookEndpoint listWebhookDeliveries recoverWebhookEndpoint getWebhookDelivery
    redeliverWebhook listAppEvents
  `,
  'user of an app for trading': `
    listApiKeys createApiKey revokeApiKey
  `,
  trader: `
    listTradingOrders submitTradingOrder closeTradingPosition closeTradingPositions setTradingTpSl
    getTradingOrder cancelTradingOrder editTradingOrder getTradingIntent listTradingPositions
    getTradingBalance listTradingHistory getTradingDesk listTradingRules
  `,
  'user, or app for trading': `
    issueTradingStreamTicket
  `,
  'partner, or a ticket': `
    streamPartnerEvents
  `,
  'trader, or a ticket': `
    streamTradingEvents
  `,
};

/** The grants of each operation. */
export const GRANTS: ReadonlyMap<string, readonly Grant[]> = new Map(
  Object.entries(OPERATIONS).flatMap(
    ([who, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, CALLERS[who as keyof typeof CALLERS]] as const), // as: the keys are those of CALLERS
  ),
);
