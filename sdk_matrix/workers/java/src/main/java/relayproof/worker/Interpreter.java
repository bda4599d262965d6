package relayproof.worker;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.json.PortableWorkflowException;
import dev.dbos.transact.workflow.SerializationStrategy;
import dev.dbos.transact.workflow.StepOptions;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What the workflows do is data. */
public final class Interpreter implements Workflows {
    static final String SCHEDULED = "scheduled";
    private static final String INTERPRET = "interpret";
    private static final String PLANNED_FAILURE = "PlannedFailure"; // name of the one error that a workload asks for
    private static final Duration RETRY_PAUSE = Duration.ofMillis(50);

    private final DBOS dbos;
    private final Evidence evidence;
    private Workflows workflows;

    Interpreter(DBOS dbos, Evidence evidence) {
        this.dbos = dbos;
        this.evidence = evidence;
    }

    /** The SDK's proxy of this object, through which children start. */
    void proxy(Workflows proxy) {
        workflows = proxy;
    }

    @Override
    @Workflow(name = INTERPRET, serializationStrategy = SerializationStrategy.PORTABLE)
    public List<Object> interpret(List<Object> instructions) throws Exception {
        String workflow = DBOS.workflowId();
        int run = evidence.run(workflow);
        List<Object> results = new ArrayList<>();
        for (Instruction one : Instruction.read(instructions)) {
            results.add(carryOut(workflow, run, one));
        }
        return results;
    }

    @Override
    @Workflow(name = SCHEDULED, serializationStrategy = SerializationStrategy.PORTABLE)
    public List<Object> scheduled(Instant at, Object context) throws Exception {
        return interpret(Json.MAPPER.convertValue(context, Json.LIST));
    }

    private Object carryOut(String workflow, int run, Instruction one) throws Exception {
        switch (one.op()) {
            case "step":
                return step(workflow, run, one);
            case "sleep":
                dbos.sleep(Json.seconds(one.durationS()));
                return null;
            case "child":
                return child(one);
            case "send":
                dbos.send(one.to(), one.message(), one.topic(), null, SerializationStrategy.PORTABLE);
                return null;
            case "recv":
                return dbos.recv(one.topic(), one.timeout()).orElse(null);
            case "set_event":
                dbos.setEvent(one.key(), one.value(), SerializationStrategy.PORTABLE);
                return null;
            case "get_event":
                return dbos.getEvent(one.workflow(), one.key(), one.timeout()).orElse(null);
            case "write_stream":
                for (String value : one.values()) {
                    dbos.writeStream(one.key(), value, SerializationStrategy.PORTABLE);
                }
                return null;
            case "fail":
                throw new PortableWorkflowException(one.message(), PLANNED_FAILURE);
            default:
                throw new IllegalArgumentException("workflow %s: unknown instruction %s".formatted(workflow, one.op()));
        }
    }

    private List<Object> step(String workflow, int run, Instruction one) throws Exception {
        AtomicInteger retries = new AtomicInteger();
        StepOptions options = new StepOptions(one.name(), one.failsTimes() + 1, RETRY_PAUSE, 1.0);
        Map<String, Object> done = dbos.runStep(() -> body(workflow, run, retries.incrementAndGet(), one), options);
        return List.of(done.get("step"), ((String) done.get("payload")).length());
    }

    private Map<String, Object> body(String workflow, int run, int retry, Instruction one) throws InterruptedException {
        var execution =
                new Evidence.Execution(workflow, one.name(), run, retry, evidence.attempt(workflow, one.name()));
        evidence.add("begin", execution, false);
        boolean fails = retry <= one.failsTimes();
        if (!fails) {
            TimeUnit.NANOSECONDS.sleep(Json.seconds(one.durationS()).toNanos());
        }
        evidence.add("end", execution, fails);
        if (fails) {
            throw new IllegalStateException(
                    "planned failure %d of %d of step %s".formatted(retry, one.failsTimes(), one.name()));
        }
        return Map.of("step", one.name(), "payload", "x".repeat(one.payloadBytes()));
    }

    private Object child(Instruction one) throws Exception {
        var options = new StartWorkflowOptions(one.workflow());
        WorkflowHandle<List<Object>, Exception> handle =
                start(one.instructions(), one.queue() == null ? options : options.withQueue(one.queue()));
        try {
            return handle.getResult();
        } catch (PortableWorkflowException failed) {
            if (PLANNED_FAILURE.equals(failed.getErrorName())) {
                return Map.of("error", failed.getMessage());
            }
            throw failed;
        }
    }

    /** Start the workflow "interpret" of these instructions. */
    WorkflowHandle<List<Object>, Exception> start(List<Object> instructions, StartWorkflowOptions options) {
        return dbos.startWorkflow(() -> workflows.interpret(instructions), options);
    }
}
