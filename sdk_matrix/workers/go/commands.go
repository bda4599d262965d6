package main

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
)

const (
	shutdownStage = 100 * time.Millisecond // what each part of the SDK gets to end by itself
	optionDrain   = "option drain_s"
	noDrain       = "its shutdown cancels the running workflows before it waits for them: none can record its end"
)

// errUnsupported: this SDK lacks what a command or one of its instructions asks for.
type errUnsupported struct{ what, reason string }

func (e errUnsupported) Error() string { return e.what + ": " + e.reason }

// commander carries out the launcher's commands, one after another.
type commander struct {
	sdk         dbos.Context
	interpreter *interpreter
	reports     *reports
}

// answer carries one command out and reports it.
func (c *commander) answer(asked command) {
	err := c.carryOut(asked)
	var lacking errUnsupported
	switch {
	case errors.As(err, &lacking):
		c.reports.send("unsupported", map[string]any{
			"do": asked.Do, "subject": asked.subject(), "what": lacking.what, "reason": lacking.reason,
		})
	case err != nil:
		c.reports.send("refused", map[string]any{"do": asked.Do, "workflow": asked.subject(), "error": err.Error()})
	case asked.Do == "start":
		c.reports.send("started", map[string]any{"workflow": asked.Workflow})
	default:
		c.reports.send("done", map[string]any{"do": asked.Do, "subject": asked.subject()})
	}
}

func (c *commander) carryOut(asked command) error {
	if op, all := known(asked.Instructions); !all {
		return errUnsupported{"instruction " + op, "the contract's version 2 does not have it"}
	}
	switch asked.Do {
	case "start":
		return c.start(asked)
	case "cancel":
		return dbos.CancelWorkflow(c.sdk, asked.Workflow)
	case "resume":
		_, err := dbos.ResumeWorkflow[[]any](c.sdk, asked.Workflow)
		return err
	case "fork":
		return c.fork(asked)
	case "schedule":
		return dbos.CreateSchedule(c.sdk, dbos.ScheduleSpec{
			ScheduleName: asked.Schedule, Schedule: asked.Cron, CronTimezone: "UTC",
			WorkflowName: scheduledName, Context: asked.Instructions,
		})
	case "unschedule":
		return dbos.DeleteSchedule(c.sdk, asked.Schedule)
	case "send":
		return dbos.Send(c.sdk, asked.To, asked.Message, asked.Topic, dbos.WithPortableSend())
	default:
		return errUnsupported{"command " + asked.Do, "the contract's version 2 does not have it"}
	}
}

func (c *commander) start(asked command) error {
	options, err := c.interpreter.options(asked.Workflow, asked.Queue)
	if err != nil {
		return err
	}
	if asked.DeduplicationID != nil {
		options = append(options, dbos.WithDeduplicationID(*asked.DeduplicationID))
	}
	if asked.Priority != nil {
		options = append(options, dbos.WithPriority(*asked.Priority))
	}
	sdk := c.sdk
	if asked.TimeoutS != nil {
		// Its cancel function stays uncalled: it would cancel the workflow.
		sdk, _ = dbos.WithTimeout(c.sdk, seconds(*asked.TimeoutS))
	}
	_, err = dbos.RunWorkflow(sdk, c.interpreter.interpret, asked.Instructions, options...)
	return err
}

// fork: the contract counts recorded steps from 1, this SDK from 0.
func (c *commander) fork(asked command) error {
	from := uint(1)
	if asked.FromStep != nil {
		from = *asked.FromStep
	}
	if from < 1 {
		return fmt.Errorf("from_step is %d: steps count from 1", from)
	}
	_, err := dbos.ForkWorkflow[[]any](c.sdk, dbos.ForkWorkflowInput{
		OriginalWorkflowID: asked.Workflow, ForkedWorkflowID: asked.Forked, StartStep: from - 1,
	})
	return err
}

// stop shuts the SDK down; false: it stays up, for it can't be shut down in the way asked for. What was running stays
// PENDING, for a relay to give to a peer.
func (c *commander) stop(asked command) bool {
	if asked.DrainS > 0 {
		c.reports.send("unsupported", map[string]any{"do": asked.Do, "subject": "", "what": optionDrain, "reason": noDrain})
		return false
	}
	if err := dbos.Shutdown(c.sdk, shutdownStage); err != nil {
		slog.Info("steps that still run end with their process", "error", err)
	}
	c.reports.send("stopped", nil)
	return true
}
