package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
)

const (
	plannedFailure = "PlannedFailure" // name of the one error that a workload asks for
	retryPause     = 50 * time.Millisecond
)

// stepOutput is what the SDK records for a step.
type stepOutput struct {
	Step    string `json:"step"`
	Payload string `json:"payload"`
}

// interpreter holds the two workflow definitions. What they do is data.
type interpreter struct {
	evidence *evidence
	queues   map[string]dbos.Queue
}

// known tells whether all instructions are ones that interpret carries out; if not, which is the first that is not.
func known(instructions []instruction) (string, bool) {
	for _, i := range instructions {
		switch i.Op {
		case "step", "sleep", "send", "recv", "set_event", "get_event", "write_stream", "fail":
		case "child":
			if op, all := known(i.Instructions); !all {
				return op, false
			}
		default:
			return i.Op, false
		}
	}
	return "", true
}

// interpret is the workflow "interpret": it carries out a list and returns the list of results.
func (in *interpreter) interpret(ctx dbos.Context, instructions []instruction) ([]any, error) {
	workflow, err := dbos.GetWorkflowID(ctx)
	if err != nil {
		return nil, fmt.Errorf("a workflow without an id: %w", err)
	}
	run := in.evidence.run(workflow)
	results := make([]any, 0, len(instructions))
	for _, i := range instructions {
		result, err := in.carryOut(ctx, workflow, run, i)
		if err != nil {
			return nil, err // as it is: the SDK knows its own errors by type
		}
		results = append(results, result)
	}
	return results, nil
}

// scheduled is the workflow "scheduled": a tick of a schedule whose context is the list.
func (in *interpreter) scheduled(ctx dbos.Context, tick dbos.ScheduledWorkflowInput) ([]any, error) {
	instructions, err := dbos.DecodeScheduleContext[[]instruction](tick)
	if err != nil {
		return nil, err
	}
	return in.interpret(ctx, instructions)
}

func (in *interpreter) carryOut(ctx dbos.Context, workflow string, run int, i instruction) (any, error) {
	switch i.Op {
	case "step":
		return in.step(ctx, workflow, run, i)
	case "sleep":
		_, err := dbos.Sleep(ctx, seconds(i.DurationS))
		return nil, err
	case "child":
		return in.child(ctx, i)
	case "send":
		return nil, dbos.Send(ctx, i.To, i.Message, i.Topic, dbos.WithPortableSend())
	case "recv":
		return textOrNil(dbos.Recv[*string](ctx, i.Topic, i.timeout()))
	case "set_event":
		return nil, dbos.SetEvent(ctx, i.Key, i.Value, dbos.WithPortableSetEvent())
	case "get_event":
		return textOrNil(dbos.GetEvent[*string](ctx, i.Workflow, i.Key, i.timeout()))
	case "write_stream":
		for _, value := range i.Values {
			if err := dbos.WriteStream(ctx, i.Key, value, dbos.WithPortableWriteStream()); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case "fail":
		return nil, &dbos.PortableWorkflowError{Name: plannedFailure, Message: i.Message}
	default:
		return nil, fmt.Errorf("workflow %s: unknown instruction %q", workflow, i.Op)
	}
}

func (in *interpreter) step(ctx dbos.Context, workflow string, run int, i instruction) (any, error) {
	retry := 0
	body := func(context.Context) (stepOutput, error) {
		retry++
		this := execution{workflow, i.Name, run, retry, in.evidence.attempt(workflow, i.Name)}
		in.evidence.add("begin", this, false)
		if retry <= i.FailsTimes {
			in.evidence.add("end", this, true)
			return stepOutput{}, fmt.Errorf("planned failure %d of %d of step %s", retry, i.FailsTimes, i.Name)
		}
		time.Sleep(seconds(i.DurationS))
		in.evidence.add("end", this, false)
		return stepOutput{i.Name, strings.Repeat("x", i.PayloadBytes)}, nil
	}
	done, err := dbos.RunAsStep(ctx, body, dbos.WithStepName(i.Name), dbos.WithStepMaxRetries(i.FailsTimes),
		dbos.WithStepBaseInterval(retryPause), dbos.WithStepBackoffFactor(1))
	if err != nil {
		return nil, err
	}
	return []any{done.Step, len(done.Payload)}, nil
}

func (in *interpreter) child(ctx dbos.Context, i instruction) (any, error) {
	options, err := in.options(i.Workflow, i.Queue)
	if err != nil {
		return nil, err
	}
	child, err := dbos.RunWorkflow(ctx, in.interpret, i.Instructions, options...)
	if err != nil {
		return nil, err
	}
	output, err := child.GetResult()
	var failed *dbos.PortableWorkflowError
	if errors.As(err, &failed) && failed.Name == plannedFailure {
		return map[string]any{"error": failed.Message}, nil
	}
	if err != nil {
		return nil, err
	}
	return output, nil
}

// options with which a workflow runs under this id, directly or through a queue.
func (in *interpreter) options(workflow string, queue *string) ([]dbos.WorkflowOption, error) {
	options := []dbos.WorkflowOption{dbos.WithWorkflowID(workflow), dbos.WithPortableWorkflow()}
	if queue == nil {
		return options, nil
	}
	found, ok := in.queues[*queue]
	if !ok {
		return nil, fmt.Errorf("no queue %q is configured", *queue)
	}
	return append(options, dbos.WithQueue(found)), nil
}

// textOrNil is the result of a wait: null when its time was over.
func textOrNil(text *string, err error) (any, error) {
	if errors.Is(err, dbos.ErrTimeout) || (err == nil && text == nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return *text, nil
}
