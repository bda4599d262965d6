// @ts-check
/**
 * The TypeScript worker: runs workloads that are data on the real SDK. Contract version 2 (docs/real-executors.md).
 *
 *     node worker.mjs CONFIG.json
 *
 * Plain JavaScript with types in its comments: it runs as it is, and `tsc --noEmit` checks it.
 */

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { COMMANDS, SUBJECTS, stop } from './commands.mjs';
import { define, PlannedFailure } from './interpret.mjs';
import { Evidence } from './ledger.mjs';

const CONTRACT = 2;
const EX_CONFIG = 78; // sysexits.h: the configuration can't be used

/** @typedef {Record<string, any>} Fields */

const out = process.stdout.write.bind(process.stdout); // a pipe is written synchronously
process.stdout.write = process.stderr.write.bind(process.stderr); // the SDK's log does not go between the reports

/** @param {string} event @param {Fields} [fields] */
function report(event, fields = {}) {
  out(`${JSON.stringify({ event, ...fields })}\n`);
}

/** @param {string} path @returns {Fields} */
function readConfig(path) {
  const config = JSON.parse(readFileSync(path, 'utf8'));
  if (config.contract !== CONTRACT) {
    console.error(`${path}: contract ${config.contract} is asked for, this worker speaks ${CONTRACT}`);
    process.exit(EX_CONFIG);
  }
  for (const name of ['system_database_url', 'evidence_database']) {
    if (/^postgres(ql)?:\/\//.test(config[name])) continue;
    console.error(`${path}: ${name} is ${config[name]}, this SDK takes postgresql:// alone`);
    process.exit(EX_CONFIG);
  }
  return config;
}

/** @param {'none' | 'record' | 'fails'} kind */
function setAlertHandler(kind) {
  if (kind === 'none') return;
  DBOS.setAlertHandler(async (name, message, metadata) => {
    report('alert', { name, message, metadata });
    if (kind === 'fails') throw new PlannedFailure('planned failure of the alert handler');
  });
}

/** @param {unknown} problem */
function text(problem) {
  return problem instanceof Error ? `${problem.name}: ${problem.message}` : String(problem);
}

/** @param {Fields} command @param {import('./commands.mjs').Definitions} definitions */
async function perform(command, definitions) {
  if (command.do === 'stop') {
    try {
      await stop(command);
    } catch (problem) {
      report('refused', { do: 'stop', workflow: '', error: text(problem) }); // it may fail without its database
      process.exit(1);
    }
    report('stopped');
    process.exit(0); // steps that still run end with their process
  }
  const subject = command[SUBJECTS[command.do] ?? 'workflow'] ?? '';
  const carryOut = COMMANDS[command.do];
  if (carryOut === undefined) {
    const what = `command ${command.do}`;
    return report('unsupported', { do: command.do, subject, what, reason: 'this worker has no such' });
  }
  try {
    await carryOut(command, definitions);
  } catch (problem) {
    return report('refused', { do: command.do, workflow: subject, error: text(problem) });
  }
  return command.do === 'start'
    ? report('started', { workflow: subject })
    : report('done', { do: command.do, subject });
}

/** From the package's own file, which it does not export. @returns {string} */
function sdkVersion() {
  const main = pathToFileURL(createRequire(import.meta.url).resolve('@dbos-inc/dbos-sdk')); // dist/src/index.js
  return JSON.parse(readFileSync(new URL('../../package.json', main), 'utf8')).version;
}

const config = readConfig(process.argv[2]);
const commands = createInterface({ input: process.stdin });
commands.once('close', () => process.exit(0)); // whoever launched it is gone
/** @type {string[]} */
const early = [];
commands.on('line', (line) => early.push(line));

DBOS.setConfig({
  name: config.application,
  systemDatabaseUrl: config.system_database_url,
  applicationVersion: config.version,
  logLevel: { WARNING: 'warn' }[/** @type {string} */ (config.log_level)] ?? config.log_level?.toLowerCase() ?? 'warn',
  schedulerPollingIntervalMs: 1000, // of the schedules table; 30 s unless told otherwise
});
const evidence = new Evidence(config.evidence_database, config.executor);
await evidence.connect();
const definitions = define(evidence);
setAlertHandler(config.alert_handler ?? 'none');
const options = {
  conductorURL: config.relay_url,
  conductorKey: config.key,
  conductorExecutorMetadata: { name: config.executor },
  conductorMetadataOnlyMode: config.metadata_only ?? false, // versions without it ignore it
};
await DBOS.launch(options);
/** @type {Record<string, string>} */
const unsupported = {};
if (!String(DBOS.launch).includes('conductorMetadataOnlyMode')) { // an option cannot be asked for in any other way
  unsupported['config metadata_only'] = 'this version of the SDK has no conductorMetadataOnlyMode';
}
for (const queue of config.queues ?? []) {
  await DBOS.registerQueue(queue.name, {
    workerConcurrency: queue.worker_concurrency ?? undefined,
    globalConcurrency: queue.concurrency ?? undefined,
    minPollingIntervalMs: (queue.polling_interval_s ?? 1) * 1000,
  });
}
report('ready', {
  contract: CONTRACT,
  language: 'typescript',
  sdk_version: sdkVersion(),
  executor_id: DBOS.executorID,
  pid: process.pid,
  unsupported,
});

let last = Promise.resolve();
commands.removeAllListeners('line');
/** One after another: each has its answer before the next begins. @param {string} line */
const take = (line) => {
  last = last.then(() => perform(JSON.parse(line), definitions));
};
early.forEach(take);
commands.on('line', take);
