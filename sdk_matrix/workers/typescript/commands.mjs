// @ts-check
/** What a launcher can ask for: one function a command. Each returns the subject that its answer names. */

import { DBOS } from '@dbos-inc/dbos-sdk';
import { PORTABLE } from './interpret.mjs';

/** @typedef {Record<string, any>} Command */
/** @typedef {ReturnType<typeof import('./interpret.mjs').define>} Definitions */

/** @type {Record<string, (command: Command, definitions: Definitions) => Promise<string>>} */
export const COMMANDS = {
  async start({ workflow, instructions, queue, deduplication_id, priority, timeout_s }, { interpret }) {
    await DBOS.startWorkflow(interpret, {
      workflowID: workflow,
      queueName: queue ?? undefined,
      timeoutMS: timeout_s == null ? undefined : timeout_s * 1000,
      enqueueOptions: { deduplicationID: deduplication_id ?? undefined, priority: priority ?? undefined },
    })(instructions);
    return workflow;
  },
  async cancel({ workflow }) {
    await DBOS.cancelWorkflow(workflow);
    return workflow;
  },
  async resume({ workflow }) {
    await DBOS.resumeWorkflow(workflow);
    return workflow;
  },
  async fork({ workflow, forked, from_step = 1 }) {
    await DBOS.forkWorkflow(workflow, from_step - 1, { newWorkflowID: forked }); // this SDK counts from 0
    return forked;
  },
  async schedule({ schedule, cron, instructions }, { scheduled }) {
    await DBOS.createSchedule({
      scheduleName: schedule, workflowFn: scheduled, schedule: cron, context: instructions,
    });
    return schedule;
  },
  async unschedule({ schedule }) {
    await DBOS.deleteSchedule(schedule);
    return schedule;
  },
  async send({ to, topic, message }) {
    await DBOS.send(to, message, topic, undefined, PORTABLE);
    return to;
  },
};

/** The field that names the subject; others: workflow. @type {Record<string, string>} */
export const SUBJECTS = { fork: 'forked', schedule: 'schedule', unschedule: 'schedule', send: 'to' };

/** @param {Command} command */
export async function stop({ drain_s = 0 }) {
  await DBOS.shutdown(drain_s > 0 ? { workflowCompletionTimeoutMS: drain_s * 1000 } : {});
}
