package relayproof.worker;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.workflow.ForkOptions;
import dev.dbos.transact.workflow.SerializationStrategy;
import dev.dbos.transact.workflow.WorkflowSchedule;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Carries out the launcher's commands, one after another. */
final class Commander {
    private static final String NOT_IN_CONTRACT = "the contract's version " + Config.CONTRACT + " does not have it";

    private static final String DRAIN = "option drain_s";
    private static final String NO_DRAIN = "its shutdown does not wait for running workflows";

    /** What this SDK lacks, with the reason, as {@code ready} tells it. */
    static final Map<String, String> UNSUPPORTED =
            Map.of(DRAIN, NO_DRAIN, "config metadata_only", "this version of the SDK has no such mode");

    /** This SDK lacks what a command or one of its instructions asks for. */
    private static final class Unsupported extends Exception {
        private static final long serialVersionUID = 1L;
        private final String what;

        Unsupported(String what, String reason) {
            super(reason);
            this.what = what;
        }
    }

    private final DBOS dbos;
    private final Interpreter interpreter;
    private final Set<String> queues;
    private final Reports reports;

    Commander(DBOS dbos, Interpreter interpreter, Set<String> queues, Reports reports) {
        this.dbos = dbos;
        this.interpreter = interpreter;
        this.queues = queues;
        this.reports = reports;
    }

    /** Carry one command out and report it. */
    void answer(Command asked) {
        String verb = asked.verb();
        try {
            carryOut(asked);
        } catch (Unsupported lacking) {
            reports.send("unsupported", Map.of(
                    "do", verb, "subject", asked.subject(), "what", lacking.what, "reason", lacking.getMessage()));
            return;
        } catch (Exception problem) { // whatever the SDK raises is the launcher's to judge
            reports.send("refused", Map.of("do", verb, "workflow", asked.subject(), "error", problem.toString()));
            return;
        }
        if (verb.equals("start")) {
            reports.send("started", Map.of("workflow", asked.workflow()));
        } else {
            reports.send("done", Map.of("do", verb, "subject", asked.subject()));
        }
    }

    private void carryOut(Command asked) throws Unsupported {
        var unknown = Instruction.unknown(asked.instructions() == null ? List.of() : asked.instructions());
        if (unknown.isPresent()) {
            throw new Unsupported("instruction " + unknown.get(), NOT_IN_CONTRACT);
        }
        switch (asked.verb()) {
            case "start" -> interpreter.start(asked.instructions(), options(asked));
            case "cancel" -> dbos.cancelWorkflow(asked.workflow());
            case "resume" -> dbos.resumeWorkflow(asked.workflow());
            case "fork" -> fork(asked);
            case "schedule" -> dbos.createSchedule(
                    new WorkflowSchedule(
                                    asked.schedule(), Interpreter.SCHEDULED, Interpreter.class.getName(), asked.cron())
                            .withContext(asked.instructions())
                            .withCronTimezone(ZoneOffset.UTC));
            case "unschedule" -> dbos.deleteSchedule(asked.schedule());
            case "send" ->
                dbos.send(asked.to(), asked.message(), asked.topic(), null, SerializationStrategy.PORTABLE);
            default -> throw new Unsupported("command " + asked.verb(), NOT_IN_CONTRACT);
        }
    }

    private StartWorkflowOptions options(Command asked) {
        var options = new StartWorkflowOptions(asked.workflow());
        if (asked.queue() != null) {
            if (!queues.contains(asked.queue())) {
                throw new IllegalArgumentException("no queue \"%s\" is configured".formatted(asked.queue()));
            }
            options = options.withQueue(asked.queue());
        }
        options = options.withDeduplicationId(asked.deduplicationId()).withPriority(asked.priority());
        return asked.timeoutS() == null ? options : options.withTimeout(Json.seconds(asked.timeoutS()));
    }

    /** The contract counts recorded steps from 1, this SDK from 0. */
    private void fork(Command asked) {
        int from = asked.fromStep() == null ? 1 : asked.fromStep();
        if (from < 1) {
            throw new IllegalArgumentException("from_step is %d: steps count from 1".formatted(from));
        }
        dbos.forkWorkflow(asked.workflow(), from - 1, new ForkOptions(asked.forked()));
    }

    /**
     * Shut the SDK down; false: it stays up, for it can't be shut down in the way asked for. What was running stays PENDING, for a
     * relay to give to a peer.
     */
    boolean stop(Command asked) {
        if (asked.drainS() > 0) {
            reports.send("unsupported", Map.of("do", "stop", "subject", "", "what", DRAIN, "reason", NO_DRAIN));
            return false;
        }
        dbos.shutdown();
        reports.send("stopped", Map.of());
        return true;
    }
}
