import { type DbSession, type IntentDatabase, item, type Row, SETTLE } from './intent-database.ts';

type Beginning = { slots?: number; forExits?: number; isExit?: boolean; claims?: boolean; session?: DbSession };
type SentIntent = Pick<Row, 'id' | 'fence'>;

/** What tests of the slots of one upstream, `miner:x`, do in a database of intents. */
export function slotsOf(opened: () => IntentDatabase) {
  const begin = async (
    id: string,
    fence: number,
    { slots = 2, forExits = 0, isExit = false, claims = false, session = opened() }: Beginning = {},
  ) => {
    const [row] = await session.query<{ begun: string }>(
      `select begin_sending_within($1, $2, '{}', 'miner:x', $3, 30, $4, $5, claims => $6) as begun`,
      [id, fence, slots, forExits, isExit, claims],
    );
    return row?.begun;
  };
  const claimed = async (more: { owner?: string } = {}): Promise<Row> => {
    const one = item(more);
    await opened().accept(one);
    await opened().finishJobs(one.id);
    return (await opened().claim(one.id)) as Row;
  };
  /** Accepted one after the other, claimed, and about to be sent. */
  const arrive = async (count: number) => {
    const begun: { id: string; fence: number; was: string | undefined }[] = [];
    for (let n = 0; n < count; n++) {
      const { id, fence } = await claimed();
      begun.push({ id, fence, was: await begin(id, fence) });
    }
    return begun;
  };
  /** One more of an upstream with so many slots, about to be sent. */
  const arriveAt = async (upstream: Beginning, owner = 'ptn_a') => {
    const { id, fence } = await claimed({ owner });
    return { id, fence, was: await begin(id, fence, upstream) };
  };
  /** One that waited and was handed a slot is sent. */
  const proceedAt = async ({ id }: SentIntent, upstream: Beginning) => {
    await opened().finishJobs(id);
    const { fence } = (await opened().claim(id)) as Row;
    return { id, fence, was: await begin(id, fence, upstream) };
  };
  /** It was sent 10 s ago: long before the look-up of `prove`. */
  const age = ({ id }: SentIntent) =>
    opened().query(`update intents set sending_at = now() - interval '10 seconds' where id = $1`, [id]);
  /** It is in doubt, was sent 10 s ago, and may be at the upstream for `heldS` more. */
  const doubt = async ({ id, fence }: SentIntent, heldS = 30) => {
    await opened().markInDoubt(id, fence, 60);
    await age({ id, fence });
    await opened().query(
      'update upstream_slots set held_until = now() + make_interval(secs => $2) where intent_id = $1',
      [id, heldS],
    );
  };
  /** A look-up of it was responded to at once, so many seconds after it was sent. */
  const prove = ({ id }: SentIntent, answeredS = 10) =>
    opened().query('select release_by_proof($1, 9, 9, $2)::text', [id, answeredS]);
  /** It ends with a response that was here so many seconds ago. */
  const respond = ({ id, fence }: SentIntent, agoS: number) =>
    opened().query(SETTLE, [id, fence, 'succeeded', '{"result":{}}', agoS]);
  const queuedNow = async () =>
    (await opened().jobs()).filter(({ in_ms }) => in_ms <= 0).map(({ intent_id }) => intent_id);
  return { begin, claimed, arrive, arriveAt, proceedAt, age, doubt, prove, respond, queuedNow };
}
