/** Words that no name may hold, in any spelling (camelCase, UPPER_CASE, snake_case, kebab-case), and what is used instead. */
const WORDS: Record<string, string> = {
  party: 'upstream',
  parties: 'upstreams',
  refusal: 'ApiError, rejection',
  refusals: 'errors, rejections',
  refuse: 'reject',
  refused: 'rejected',
  refuses: 'rejects',
  told: 'emitted, notified, reported',
  tellable: 'sanitizeError',
  tries: 'attempts',
  look: 'reconcile, read, compare',
  looks: 'reconcile_attempts',
  looked: 'reconciled',
  wake: 'dispatch, notify',
  wakes: 'notifies',
  woken: 'notified',
  doubt: 'in doubt',
  doubts: 'in doubt',
  doubted: 'in doubt',
  doubtful: 'unproven, in doubt',
  hidden: 'sealed',
  hiding: 'sealedResult',
  own: "the owner's name",
  mine: "the owner's name",
  answer: 'response, result',
  answers: 'responses, results',
  answered: 'response',
  answering: 'responding',
  stranger: 'unknown caller',
  strangers: 'unknown callers',
  parted: 'separated',
  placing: 'place, placeOrder',
  offer: 'NewIntent, submit',
  bury: 'reap',
  rouse: 'dispatch',
  knock: 'tryConnect',
  unserved: 'unfulfilled',
  unfit: 'invalid',
  groundless: 'closeRevokedStreams',
  outlet: 'writer',
};

/** Terms that contain one of the words and are kept: the state of an intent, and the read of an effect. */
const TERMS = / in doubt(?= )| look ups?(?= )/g;

/** Names that may not occur, and what is used instead. Their words have other uses. */
const NAMES: Record<string, string> = {
  Asking: 'RequestContext',
  carryOut: 'executeIntent',
  Carrier: 'ExecutionContext',
  lookUp: 'reconcileIntent',
  tell: 'emit, notify, log',
  telling: 'notifying',
  toldError: 'serializeError',
  tellEnding: 'notifySettled',
  goneFor: 'reversalReason',
  userSeed: 'userSealContext',
  adminSeed: 'adminSealContext',
  networkKey: 'networkKeySealContext',
  mailSecret: 'mailSealContext',
  NEVER_FULL: 'POOL_HEADROOM',
  stillTrades: 'isTradeable',
  brokenByNetworkOrder: 'findNetworkViolation',
  brokenByExchangeOrder: 'findExchangeViolation',
  must: 'requireFound',
  askAgain: 'replay',
  giveUp: 'abandon',
  giveUpAccount: 'abandonAccount',
  give_up_account: 'abandon_account',
  findSpokenFor: 'sumReservedCents',
  asRecorded: 'asStoredFailure',
  marks: 'hmacs',
  Place: 'SpanContext, Position',
  placeOf: 'positionOf, sealContextOf',
  newPlace: 'newSpanContext',
  placeOfIntent: 'spanContextOfIntent',
};

type Allowed = { why: string; where?: RegExp };

/** Names that stay, why, and where: anywhere without `where`. */
export const ALLOWED: Record<string, Allowed> = {
  V1_PAYMENT_REFUSED: { why: 'an error code of the contract (decision 019)' },
  V1_PAYMENT_TERMS_UNFIT: { why: 'an error code of the contract (decision 019)' },
  V2_RERUN_REFUSED: { why: 'an error code of the contract (decision 019)' },
  getOwnApp: { why: 'an operationId of the contract (decision 019)' },
  rotateOwnAppSecret: { why: 'an operationId of the contract (decision 019)' },
  refused: {
    why: 'a stored state of mails, and a local part of the sandbox',
    where: /mail|retention|sandbox|types\.ts$/,
  },
  'admin.login_refused': { why: 'a stored action of the audit log' },
  refused_for_form: { why: 'a stored slug of results' },
  payment_refused: { why: 'a stored slug of results' },
  hasOwn: { why: 'a method of JavaScript' },
  showHidden: { why: 'an option of node:util' },
  hidden: { why: 'a property of the DOM', where: /^(src\/(console|edge\/docs)|test\/browser)\// },
  tries: { why: 'an option of node:dns', where: /^src\/adapters\/webhook\/resolve\.ts/ },
};

/** Whether a name at a path breaks the glossary. */
export const isOutdated = (name: string, path: string): boolean => {
  const allowed = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined;
  if (allowed && (allowed.where?.test(path) ?? true)) return false;
  return Object.hasOwn(NAMES, name) || wordsOf(name).some((word) => Object.hasOwn(WORDS, word));
};

/** The words of a name in lower case, without those of the terms that are kept. */
function wordsOf(name: string): string[] {
  const words = name.split(/[^a-zA-Z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).join(' ');
  return ` ${words.toLowerCase()} `.replace(TERMS, '').trim().split(' ');
}

/** Whether a text for operators, callers or logs holds a phrase that the glossary replaces. */
export const isOutdatedText = (text: string): boolean => PHRASES.test(text.replace(KEPT, ''));

const PHRASES =
  /\b(refus\w+|part(y|ies)|told|tells?|doubtful|rests no longer|stopped badly|broke off|do not fit|for good|answer(s|ed)?|strangers?|wakes?|woken|parted by)\b/i;
/** Other uses: third-party; a state of mails, explained; what the system reports of a connection (ECONNREFUSED). */
const KEPT = /third-party|\brefused:|\bconnection (is )?refused/g;

/** Whether the title of an error, which says what is wrong, holds such a phrase or is vague. */
export const isOutdatedTitle = (title: string): boolean =>
  isOutdatedText(title) || /\b(no such|there is nothing|nobody)\b/i.test(title);
