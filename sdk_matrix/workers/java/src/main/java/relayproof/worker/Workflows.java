package relayproof.worker;

import java.time.Instant;
import java.util.List;

/** The two workflow definitions, as the SDK's proxy shows them. */
public interface Workflows {
    /** Carry out a list of instructions; the list of their results. */
    List<Object> interpret(List<Object> instructions) throws Exception;

    /** A tick of a schedule, whose context is the list. */
    List<Object> scheduled(Instant at, Object context) throws Exception;
}
