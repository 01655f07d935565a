import { type OrderJobClass, orderJobShares } from '../capacity/jobs.ts';
import type { OwnerId } from '../kernel/ids.ts';
import type { Silence } from '../kernel/silence.ts';

/** A job of a verb. */
export type VerbJob = {
  /**
   * Whether it may call its upstream for an intent, to send it or to look it up, and wait for it. Once it may, it holds a place until its
   * end.
   */
  mayCall(intent: { owner: OwnerId }, isLookUp: boolean): boolean;
  end(): void;
};

/** A verb, as the jobs of a runner are divided among them. */
type Verb = { kind: string; isExit?: true | undefined };

/** The jobs of a runner, as verbs of venues hold them. */
export type VerbJobs = { open(verb: Verb): VerbJob };

type Heard = Pick<Silence, 'isSilent'>;

/**
 * A venue. Entries wait for what `sends` them; exits and look-ups also for `reads`. `hasSlots`: while it responds, its slots bound how many jobs
 * wait for it.
 */
type Venue = { sends: Heard; reads: Heard; hasSlots: boolean };

/** A job that waits for a venue. */
type Place = { venue: string; as: OrderJobClass; owner: OwnerId };

/** Any number of jobs may wait for its upstream. */
const UNLIMITED: VerbJob = { mayCall: () => true, end: () => {} };

/** Jobs that are not divided. */
export const undivided: VerbJobs = { open: () => UNLIMITED };

/**
 * Divides the jobs of a runner among the verbs of venues: whoever waits for one venue holds a job, and what concerns other venues needs those,
 * too. `venues`: by the first part of their verbs' kinds. See decision 085.
 */
export function verbJobs(jobs: number, venues: Readonly<Record<string, Venue>>): VerbJobs {
  const { shared, own, probing } = orderJobShares(jobs);
  const held = new Set<Place>();
  const count = (counts: (place: Place) => boolean): number =>
    held
      .values()
      .filter(counts)
      .reduce((sum) => sum + 1, 0);

  function isFree({ venue, as, owner }: Place, { sends, reads, hasSlots }: Venue): boolean {
    const isSilent = sends.isSilent() || (as !== 'entry' && reads.isSilent());
    const like = count((place) => place.venue === venue && place.as === as);
    if (isSilent) return like < (hasSlots && as === 'entry' ? own : probing[as]);
    return (
      as === 'exit' ||
      hasSlots ||
      like < own ||
      count((place) => place.as !== 'exit') < shared ||
      count((place) => place.venue === venue && place.owner === owner) === 0
    );
  }

  return {
    open({ kind, isExit }) {
      const [name = ''] = kind.split('/');
      const venue = venues[name];
      if (!venue) return UNLIMITED;
      let place: Place | null = null;
      return {
        mayCall({ owner }, isLookUp) {
          if (place) return true;
          const wanted: Place = { venue: name, as: isExit ? 'exit' : isLookUp ? 'look_up' : 'entry', owner };
          if (!isFree(wanted, venue)) return false;
          place = wanted;
          held.add(place);
          return true;
        },
        end() {
          if (place) held.delete(place);
        },
      };
    },
  };
}
