import { type ReceivedWebhook, verifyWebhook, WebhookError } from '../client/index.ts';

/** A delivery as received: headers by their lower-case names, and the body byte for byte. */
export type Delivery = { headers: Record<string, string>; body: Buffer };

/** Reads a delivery from text: an optional request line, headers, an empty line, the body. Null: there is no empty line. */
export function readDelivery(bytes: Buffer): Delivery | null {
  const ends = [
    { at: bytes.indexOf('\r\n\r\n'), length: 4 },
    { at: bytes.indexOf('\n\n'), length: 2 },
  ].filter(({ at }) => at >= 0);
  const end = ends.toSorted((a, b) => a.at - b.at)[0];
  if (!end) return null;
  const lines = bytes.subarray(0, end.at).toString('utf8').split(/\r?\n/);
  const headers = lines.flatMap((line) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value] as const];
  });
  return { headers: Object.fromEntries(headers), body: bytes.subarray(end.at + end.length) };
}

const SCHEMES = [
  ['X-Service-Signature', ['x-service-signature']],
  ['Webhook-Signature', ['webhook-id', 'webhook-timestamp', 'webhook-signature']],
] as const;

/** What was found out about a delivery, one sentence per line. */
export type Diagnosis = { isAuthentic: boolean; lines: string[] };

/** Says whether a delivery is authentic by the endpoint's secret, else what is wrong with it. It is never sent anywhere. */
export async function diagnose(delivery: Delivery, secret: string, toleranceS: number): Promise<Diagnosis> {
  const found = await Promise.all(
    SCHEMES.map(async ([scheme, names]) => {
      const absent = names.filter((name) => !delivery.headers[name]);
      return absent.length === 0
        ? judge(scheme, { ...delivery, headers: only(delivery.headers, names) }, secret, toleranceS)
        : { isAuthentic: null, line: `${scheme}: the header ${absent.join(' and ')} is missing.` };
    }),
  );
  const present = found.filter(({ isAuthentic }) => isAuthentic !== null);
  const lines = (present.length > 0 ? present : found).map(({ line }) => line);
  return { isAuthentic: present.length > 0 && present.every(({ isAuthentic }) => isAuthentic), lines };
}

const only = (headers: Delivery['headers'], names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, headers[name]]));

type Signed = { headers: Record<string, string | undefined>; body: Buffer };

async function judge(scheme: string, signed: Signed, secret: string, toleranceS: number) {
  const reason = await reasonFor({ ...signed, secret, toleranceS });
  if (reason === null) return { isAuthentic: true, line: `${scheme}: right.` };
  const line = reason === 'too_old' ? await late(signed, secret, toleranceS) : await unlike(signed, secret);
  return { isAuthentic: false, line: `${scheme}: ${line}` };
}

async function late(signed: Signed, secret: string, toleranceS: number): Promise<string> {
  if (await reasonFor({ ...signed, secret, toleranceS: Number.POSITIVE_INFINITY }))
    return `neither the signature nor its time is right. ${await unlike(signed, secret)}`;
  return `the signature is right, but its time is not within ${toleranceS} s of this machine's clock. A delivery that has just arrived means that the clock is wrong; an old one must be rejected.`;
}

/** The likely causes of a wrong signature: each change that makes it right. */
async function unlike({ headers, body }: Signed, secret: string): Promise<string> {
  const fits = async (change: Partial<Pick<ReceivedWebhook, 'body' | 'secret'>>) =>
    (await reasonFor({ headers, body, secret, toleranceS: Number.POSITIVE_INFINITY, ...change })) === null;
  const text = body.toString('utf8');
  const changes: [Parameters<typeof fits>[0], string][] = [
    [{ body: text.replace(/\r?\n$/, '') }, 'the body has a line break at its end that was not sent.'],
    [{ body: text.trim() }, 'the body has white space around it that was not sent.'],
    [{ body: text.replaceAll('\r\n', '\n') }, 'the line breaks of the body were changed.'],
    [{ body: rewritten(text) }, 'the body was parsed and written again. Verify the raw body, before any JSON parser.'],
    [{ secret: secret.trim() }, 'the secret has white space around it.'],
    [{ secret: `whsec_${secret}` }, 'the secret lacks its prefix whsec_.'],
  ];
  for (const [change, line] of changes) if (await fits(change)) return line;
  return 'the signature is wrong. Is this the secret of this endpoint, and is the body exactly what arrived?';
}

/** The JSON as the service writes it, without white space; unchanged if it is none. */
function rewritten(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

const reasonFor = (received: ReceivedWebhook): Promise<WebhookError['reason'] | null> =>
  verifyWebhook(received).then(
    () => null,
    (error) => {
      if (error instanceof WebhookError) return error.reason;
      throw error;
    },
  );
