import { type PollDeps, pollRegistration } from '../../src/capabilities/registration/poll.ts';
import type { Task } from '../../src/intents/task.ts';

const poll: Task<{ registration_id: string; polls: number }, PollDeps> = ({ registration_id, polls }, deps) =>
  pollRegistration(registration_id, polls, deps);

export default poll;
