package relayproof.worker;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One thing that a workflow does; which fields count depends on {@code op}. */
record Instruction(
        String op,
        String name,
        double durationS,
        int payloadBytes,
        int failsTimes,
        String workflow,
        List<Object> instructions,
        String queue,
        String to,
        String topic,
        String message,
        String key,
        String value,
        List<String> values,
        Double timeoutS) {

    private static final Set<String> OPS =
            Set.of("step", "sleep", "child", "send", "recv", "set_event", "get_event", "write_stream", "fail");
    private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);

    /** Instructions as the SDK stores them: lists and maps, without a Java type. */
    static List<Instruction> read(List<Object> stored) {
        return stored.stream().map(one -> Json.MAPPER.convertValue(one, Instruction.class)).toList();
    }

    /** The first operation in the list, or in a child's, that this worker does not know. */
    static Optional<String> unknown(List<Object> stored) {
        for (Instruction one : read(stored)) {
            if (!OPS.contains(one.op())) {
                return Optional.of(one.op());
            }
            if (one.instructions() != null) {
                Optional<String> inner = unknown(one.instructions());
                if (inner.isPresent()) {
                    return inner;
                }
            }
        }
        return Optional.empty();
    }

    /** Of a wait. */
    Duration timeout() {
        return timeoutS == null ? DEFAULT_TIMEOUT : Json.seconds(timeoutS);
    }
}
