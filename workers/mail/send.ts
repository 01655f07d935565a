import { type SendDeps, sendMail } from '../../src/capabilities/mail/send.ts';
import type { Task } from '../../src/intents/task.ts';

const send: Task<{ mail_id: string }, SendDeps> = ({ mail_id }, deps) => sendMail(mail_id, deps);

export default send;
