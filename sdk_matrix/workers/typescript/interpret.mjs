// @ts-check
/** The workflow definitions: they carry out a list of instructions and return a list of results. */

import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';

/** @typedef {import('./ledger.mjs').Evidence} Evidence */
/** @typedef {Record<string, any>} Instruction */

export const PORTABLE = /** @type {{ serializationType: 'portable' }} */ ({ serializationType: 'portable' });
const RETRY_S = 0.05;

/** What a failing instruction raises. Its name is stored with it, and so known again in another process. */
export class PlannedFailure extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'PlannedFailure';
  }
}

/** Register them with the SDK. @param {Evidence} evidence */
export function define(evidence) {
  /** @param {string} workflow @param {number} run @param {Instruction} instruction */
  async function step(workflow, run, instruction) {
    const { name, duration_s = 0, payload_bytes = 0, fails_times = 0 } = instruction;
    let retry = 0;
    const body = async () => {
      const about = { run, retry: ++retry };
      const attempt = evidence.attempt(workflow, name);
      await evidence.add('begin', workflow, name, attempt, about);
      if (about.retry <= fails_times) {
        await evidence.add('end', workflow, name, attempt, { ...about, failed: true });
        throw new PlannedFailure(`planned failure ${about.retry} of step ${name}`);
      }
      await sleep(duration_s * 1000);
      await evidence.add('end', workflow, name, attempt, about);
      return { step: name, payload: 'x'.repeat(payload_bytes) };
    };
    const retries = {
      retriesAllowed: fails_times > 0, maxAttempts: fails_times + 1, intervalSeconds: RETRY_S, backoffRate: 1,
    };
    const done = await DBOS.runStep(body, { name, ...retries });
    return [done.step, done.payload.length];
  }

  /** @param {Instruction} instruction @returns {Promise<unknown>} */
  async function child(instruction) {
    const params = { workflowID: instruction.workflow, queueName: instruction.queue ?? undefined };
    const handle = await DBOS.startWorkflow(interpret, params)(instruction.instructions);
    try {
      return await handle.getResult();
    } catch (problem) {
      if (!(problem instanceof Error) || problem.name !== 'PlannedFailure') throw problem;
      return { error: problem.message };
    }
  }

  /** @param {string} workflow @param {number} run @param {Instruction} instruction @returns {Promise<unknown>} */
  async function perform(workflow, run, instruction) {
    switch (instruction.op) {
      case 'step':
        return step(workflow, run, instruction);
      case 'sleep':
        await DBOS.sleep(instruction.duration_s * 1000);
        return null;
      case 'child':
        return child(instruction);
      case 'send':
        await DBOS.send(instruction.to, instruction.message, instruction.topic, undefined, PORTABLE);
        return null;
      case 'recv':
        return DBOS.recv(instruction.topic, instruction.timeout_s ?? 60);
      case 'set_event':
        await DBOS.setEvent(instruction.key, instruction.value, PORTABLE);
        return null;
      case 'get_event':
        return DBOS.getEvent(instruction.workflow, instruction.key, instruction.timeout_s ?? 60);
      case 'write_stream':
        for (const value of instruction.values) await DBOS.writeStream(instruction.key, value, PORTABLE);
        return null;
      case 'fail':
        throw new PlannedFailure(instruction.message);
      default:
        throw new Error(`workflow ${workflow}: unknown instruction ${instruction.op}`);
    }
  }

  /** @param {Instruction[]} instructions @returns {Promise<unknown[]>} */
  async function carryOut(instructions) {
    const workflow = DBOS.workflowID;
    if (workflow === undefined) throw new Error('a workflow body runs within a workflow');
    evidence.executorId ||= DBOS.executorID; // kept: a shutdown resets the SDK's while steps still run
    const run = evidence.run(workflow);
    const results = [];
    for (const instruction of instructions) results.push(await perform(workflow, run, instruction));
    return results;
  }

  const interpret = DBOS.registerWorkflow(
    async (/** @type {Instruction[]} */ instructions) => carryOut(instructions),
    { name: 'interpret', serialization: 'portable' },
  );
  const scheduled = /** @type {(at: Date, context: any) => Promise<any>} */ (
    DBOS.registerWorkflow(async (/** @type {Date} */ _at, /** @type {Instruction[]} */ context) => carryOut(context), {
      name: 'scheduled',
      serialization: 'portable',
    })
  );
  return { interpret, scheduled };
}
