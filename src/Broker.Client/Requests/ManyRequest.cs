using Broker.Client.Errors;
using Broker.Client.Subscriptions;
using Broker.Protocol.Headers;

namespace Broker.Client.Requests;

/// <summary>A request for many answers, which wait in a queue of its own until they are read.</summary>
internal sealed class ManyRequest : PendingReply
{
    private const int NoResponders = 503;

    private readonly Requester _owner;
    private readonly RequestManyOptions _options;
    private readonly long _end;
    private int _answers;

    internal ManyRequest(Requester owner, RequestManyOptions options)
    {
        _owner = owner;
        _options = options;
        _end = Deadline = Requester.DeadlineIn(options.Deadline);
        Answers = new MessageQueue(new QueueOptions { MaxBytes = options.MaxBytes, WhenFull = FullQueuePolicy.End, MaxMessages = int.MaxValue });
    }

    /// <summary>Those that have come, in order; ends with the last.</summary>
    internal MessageQueue Answers { get; }

    internal override void Take(in MessageView answer, long number, RequestTable table)
    {
        if (_answers == 0 && answer.Body.IsEmpty && HeaderBlock.Status(answer.Headers) == NoResponders)
        {
            End(table, new NoRespondersException(Subject));
            return;
        }

        if (_options.Sentinel is { } sentinel && sentinel(in answer))
        {
            End(table, null);
            return;
        }

        _answers++;
        if (Answers.Put(in answer) == MessageQueue.Outcome.Overrun)
        {
            End(table, new SlowConsumerException(Subject, _options.MaxBytes));
            return;
        }

        if (_answers == _options.MaxAnswers)
        {
            End(table, null);
        }
        else if (_options.Silence is { } silence)
        {
            _owner.SetDeadline(this, Math.Min(_end, Requester.DeadlineIn(silence)));
        }
    }

    /// <summary>The time is over: what has come is all there is.</summary>
    internal override void TimeOut()
    {
        _owner.NoteGivenUp();
        Answers.End(null);
    }

    internal override void Fail(Exception reason) => Answers.End(reason);

    private void End(RequestTable table, Exception? reason)
    {
        if (table.TryTake(this, Number))
        {
            Answers.End(reason);
        }
    }
}
